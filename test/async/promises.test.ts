import { describe, expect, it } from 'vitest';
import { Limit, SingleFlight } from '../../src/async/promises.js';
import { gate } from '../support.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Starts one call per name; each runs until its gate opens. */
function calls(limit: Limit, names: readonly string[], signal?: AbortSignal) {
  const started: string[] = [];
  const gates = new Map(names.map((name) => [name, gate<string>()]));
  const results = names.map((name) =>
    limit.run(() => {
      started.push(name);
      return (gates.get(name) as ReturnType<typeof gate<string>>).promise;
    }, signal),
  );
  const end = async (name: string) => {
    gates.get(name)?.open(name);
    await turn();
  };
  return { started, results, gates, end };
}

describe('a limit', () => {
  it('passes the place of a failed call on', async () => {
    const limit = new Limit(1);
    const { started, results, gates, end } = calls(limit, ['a', 'b']);
    gates.get('a')?.fail(new Error('refused'));
    await expect(results[0]).rejects.toThrow('refused');
    await end('b');
    expect(started).toEqual(['a', 'b']);
    expect(limit.isFull).toBe(false);
  });

  it('lets a waiting call leave at once when its signal aborts; a running one keeps its place', async () => {
    const limit = new Limit(1);
    const controller = new AbortController();
    const first = calls(limit, ['a', 'b'], controller.signal);
    const second = calls(limit, ['c']);
    controller.abort(new Error('enough'));
    await expect(first.results[1]).rejects.toThrow('enough');
    expect(second.started).toEqual([]);
    await first.end('a');
    expect(second.started).toEqual(['c']);
    await second.end('c');
    expect(first.started).toEqual(['a']);
    expect(limit.isFull).toBe(false);
  });

  it('refuses a call that would have to wait under an aborted signal', async () => {
    const limit = new Limit(1);
    const { end } = calls(limit, ['a']);
    const late = limit.run(() => Promise.resolve(), AbortSignal.abort(new Error('enough')));
    await expect(late).rejects.toThrow('enough');
    await end('a');
    expect(limit.isFull).toBe(false);
  });
});

it('leaves no unhandled rejection when every caller has aborted', async () => {
  const { promise, fail } = gate<never>();
  const caller = new AbortController();
  const only = new SingleFlight<never>().run(() => promise, caller.signal);
  caller.abort(new Error('left'));
  await expect(only).rejects.toThrow('left');
  fail(new Error('nobody waits for this'));
  await new Promise(setImmediate);
});
