import { type Bench, type Effort, OURS } from './bench.js';
import { IN_A_TURN } from './contenders/mock.js';
import { type ProcessContender, processesSideBySide } from './processes.js';

export const bench: Bench = {
  title: 'P17: the mock hub in a test suite',
  goal: 'a request at most 1.0x a stub handler of MSW; acknowledging again takes as long at 50,000 emitted events',
  async *tables(effort: Effort) {
    const rounds = effort === 'quick' ? { rounds: 2, warmUp: 1 } : { rounds: 31, warmUp: 10 };
    const request = (name: string, setup: string): ProcessContender => ({
      name,
      file: './mock.ts',
      setup,
      units: IN_A_TURN.requests,
      ...(setup === 'mockHub' && { goal: { ratio: 1 } }),
    });
    yield {
      title: 'CPU per request, a poll with one event through MSW',
      unit: 'µs',
      rows: await processesSideBySide(
        [request('a handler of MSW that always sends this event', 'stub'), request(OURS, 'mockHub')],
        rounds,
      ),
    };
    const acknowledgment = (emitted: number): ProcessContender => ({
      name: `${OURS}, ${emitted.toLocaleString('en-US')} events emitted`,
      file: './mock.ts',
      setup: 'acknowledgments',
      input: { emitted },
      units: IN_A_TURN.acknowledgments,
      // A search through all events would be a hundred times slower; a larger heap costs a little.
      ...(emitted > 500 && { goal: { ratio: 1.5 } }),
    });
    yield {
      title: 'CPU of acknowledging 100 known events again',
      unit: 'µs',
      rows: await processesSideBySide([acknowledgment(500), acknowledgment(50_000)], rounds),
    };
  },
};
