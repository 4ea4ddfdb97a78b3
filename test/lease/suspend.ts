import { drawOf } from '../../src/testing/random.js';
import { breachesOf, runsOf, sizeOf, wrongRows } from './figures.js';
import type { Member, Pack, SharedState } from './pack.js';
import { inPack, LEASE_MS, RUN_MS, wait } from './phase.js';
import { backwardWrites } from './register.js';
import { overlapsOf } from './runs.js';

/** How long a process may go on after SIGSTOP was sent to it, in virtual ms. */
const STOPPING_MS = 500;

/** Stops a process while its listener handles a new order. */
async function stopOne(pack: Pack) {
  while (true) {
    const { orderId, event } = pack.mock.createOrder();
    const runsOfEvent = ({ journal }: Member) =>
      journal.runs.filter(({ eventId }) => eventId === event.eventId);
    const membersThatRanIt = () => {
      pack.update();
      return [...pack.members].filter((member) => runsOfEvent(member).length > 0);
    };
    await pack.until('the order to begin', () => membersThatRanIt().length > 0);
    const [suspended] = membersThatRanIt() as [Member];
    suspended.child.kill('SIGSTOP');
    await wait(STOPPING_MS);
    pack.update();
    if (runsOfEvent(suspended).some(({ how }) => how === 'running'))
      return { orderId, suspended, membersThatRanIt };
    // It has ended before the stop, and its mark may be written: then no other process begins it.
    suspended.child.kill('SIGCONT');
  }
}

/** Stops that are longer than the lease, each while a listener runs: the one case that a lease cannot exclude. */
export function suspend(shared: SharedState, seed: number, rounds: number) {
  // Little concurrency: a process that goes on after its stop has orders left to dispatch.
  return inPack(shared, { runMs: RUN_MS / 2, longShare: 0, concurrency: 2 }, async (pack) => {
    for (let round = 0; round < rounds; round += 1) {
      const { orderId, suspended, membersThatRanIt } = await stopOne(pack);
      pack.mock.emit('CONFIRMED', { orderId });
      const stoppedAt = pack.clock.monotonic();
      await pack.until('another process to begin it too', () => membersThatRanIt().length > 1);
      await wait(stoppedAt + LEASE_MS - pack.clock.monotonic());
      const isWritten = () => pack.register.rows.get(orderId)?.eventType === 'CONFIRMED';
      // It goes on after the other process has written the row, or at a random moment before.
      if (round % 2 === 0) await pack.until('the other process to write the row', isWritten);
      else await wait(drawOf('suspend', seed, round) * RUN_MS);
      suspended.child.kill('SIGCONT');
    }
    await pack.finish();
    const overlaps = overlapsOf(runsOf(pack));
    const { rows, unchecked, writes } = pack.register;
    // If the stop falls between the check of the lease and the first line of the listener, only the fence helps.
    const backward = overlaps.filter(([earlier, later]) => earlier.fence >= later.fence);
    const unordered = backward
      .filter(([earlier, later]) => later.checkedAt > earlier.from)
      .map(
        ([earlier, later]) => `${earlier.eventId} ran with fence ${earlier.fence}, later with ${later.fence}`,
      );
    const wrong = wrongRows(pack, (orderId) => rows.get(orderId)?.eventType);
    return {
      breaches: [
        ...breachesOf(pack),
        ...unordered,
        ...backwardWrites(pack.register),
        ...wrong.map((orderId) => `the row of ${orderId} is wrong`),
      ],
      overlaps: overlaps.length,
      refusedWrites: writes.filter(({ isAccepted }) => !isAccepted).length,
      figures: {
        rounds,
        stopsBetweenCheckAndListener: backward.length - unordered.length,
        orders: rows.size,
        wrongRowsWithoutTheCheck: wrongRows(pack, (orderId) => unchecked.get(orderId)).length,
        ...sizeOf(pack),
      },
    };
  });
}
