import { drawOf } from '../../src/testing/random.js';
import { breachesOf, overlapBreaches, quantile, runsOf, sizeOf } from './figures.js';
import { FACTOR, type Member, type Pack, type SharedState } from './pack.js';
import { inPack, LEASE_MS, RUN_MS, SIZE, wait } from './phase.js';
import { backwardWrites } from './register.js';
import type { Run } from './runs.js';

/** A process that was stopped needs this much of its lease to renew it, in virtual ms. */
const RENEWAL_MS = 10_000;

/** A kill or a stop comes up to this long after a poll. */
const AFTER_POLL_MS = 30_000;

export interface Interruptions {
  /** SIGKILL to the process that polls. */
  readonly kills: number;
  /** SIGKILL to a process on standby. */
  readonly standbyKills: number;
  /** SIGSTOP and SIGCONT, for less than what is left of the lease. */
  readonly stops: number;
}

interface Stop {
  readonly pid: number;
  readonly at: bigint;
  readonly lastedMs: number;
  readonly isWithin: boolean;
}

/**
 * SIGSTOP and SIGCONT with enough of the lease left to renew it. The actual
 * duration is measured: a busy machine may delay this process too.
 */
async function stopWithinLease(pack: Pack, member: Member, hasLease: boolean, draw: number): Promise<Stop> {
  member.child.kill('SIGSTOP');
  const at = process.hrtime.bigint();
  const leaseMs = hasLease ? (await pack.leaseLeftMs()) * FACTOR : LEASE_MS;
  const longestMs = leaseMs - RENEWAL_MS;
  await wait(Math.max(0, draw * longestMs));
  member.child.kill('SIGCONT');
  const lastedMs = (Number(process.hrtime.bigint() - at) / 1e6) * FACTOR;
  return {
    pid: member.pid,
    at,
    lastedMs,
    isWithin: lastedMs <= longestMs + RENEWAL_MS / 2 && longestMs > 0,
  };
}

const isDuring = (run: Run, { pid, at }: Stop) =>
  run.pid === pid && run.from < at && (run.to === undefined || at < run.to);

/** Kills, and stops that are shorter than the lease, in a random sequence. */
export function interrupt(shared: SharedState, seed: number, counts: Interruptions) {
  return inPack(shared, { runMs: RUN_MS, longShare: 0.01, concurrency: 8 }, async (pack) => {
    const takeOvers: number[] = [];
    const stopMs: number[] = [];
    const pastLease: Stop[] = [];
    const left = { ...counts };
    let poll = await pack.pollAfter(0);
    for (let step = 0; left.kills + left.standbyKills + left.stops > 0; step += 1) {
      const draw = (what: string) => drawOf(what, seed, step);
      await wait(poll.at + draw('when') * AFTER_POLL_MS - pack.clock.monotonic());
      const holder = pack.holder as Member;
      const standby = [...pack.members].filter((member) => member !== holder)[step % (SIZE - 1)] as Member;
      let choice = draw('what') * (left.kills + left.standbyKills + left.stops);
      if (choice < left.kills) {
        left.kills -= 1;
        const killedAt = await pack.kill(holder);
        [poll] = await Promise.all([pack.pollAfter(killedAt, holder.pid), pack.add()]);
        takeOvers.push(poll.at - killedAt);
        continue;
      }
      choice -= left.kills;
      if (choice < left.standbyKills) {
        left.standbyKills -= 1;
        await pack.kill(standby);
        await pack.add();
        poll = await pack.nextPoll();
        continue;
      }
      // Every fourth stop is for a process on standby.
      const member = left.stops % 4 === 0 ? standby : holder;
      const stop = await stopWithinLease(pack, member, member === holder, draw('stop'));
      if (stop.isWithin) {
        left.stops -= 1;
        stopMs.push(stop.lastedMs);
      } else pastLease.push(stop);
      poll = await pack.nextPoll();
    }
    await pack.finish();
    return {
      breaches: [
        ...breachesOf(pack),
        ...overlapBreaches(pack, (run) => pastLease.some((stop) => isDuring(run, stop))),
        ...backwardWrites(pack.register),
      ],
      refusedWrites: pack.register.writes.filter(({ isAccepted }) => !isAccepted).length,
      takeOverMs: {
        p50: quantile(takeOvers, 0.5),
        p99: quantile(takeOvers, 0.99),
        max: quantile(takeOvers, 1),
      },
      figures: {
        kills: takeOvers.length,
        standbyKills: counts.standbyKills,
        stops: stopMs.length,
        stopMs: { p50: quantile(stopMs, 0.5), max: quantile(stopMs, 1) },
        pastLease: pastLease.length,
        ...sizeOf(pack),
        killedRuns: runsOf(pack).filter(({ how }) => how === 'killed').length,
      },
    };
  });
}
