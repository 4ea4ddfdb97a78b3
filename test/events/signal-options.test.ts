import type { ConfigurationError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { fleetStage, one } from '../fleet/support.js';
import { stage } from '../support.js';

type Options = { readonly signal?: AbortSignal };

/** Every call with `signal` as its only option, of a poller and of a fleet. */
const CALLS: Readonly<Record<string, (options: Options) => Promise<unknown>>> = {
  'poller.start': (options) => poller().start(options),
  'poller.runOnce': (options) => poller().runOnce(options),
  'poller.events': async (options) => {
    for await (const _ of poller().events(options)) break;
  },
  'fleet.start': (options) => fleet().start(options),
  'fleet.runOnce': (options) => fleet().runOnce('store-0', options),
};

const poller = () =>
  stage()
    .hub.poller()
    .on('event', () => {});
const fleet = () => fleetStage(one()).fleet.on('event', () => {});

describe.each(Object.entries(CALLS))('%s', (name, call) => {
  it.each([
    [{ sginal: new AbortController().signal }, 'sginal: is not an option; the options are signal'],
    [{ signal: 5 }, 'signal: must be an AbortSignal'],
    [{ signal: null }, 'signal: must be an AbortSignal'],
    [{ signal: new AbortController() }, 'signal: must be an AbortSignal: it has no throwIfAborted()'],
    [null, 'options: must be an object; the options are signal'],
    [5, 'options: must be an object; the options are signal'],
  ])('refuses the options %j, and says what to pass', async (options, message) => {
    await expect(call(options as Options)).rejects.toThrow(
      expect.objectContaining({
        code: 'configuration',
        message: expect.stringContaining(message),
      } satisfies Partial<ConfigurationError>),
    );
  });

  it('ends at once if the signal has aborted', async () => {
    const reason = new Error('not now');
    const outcome = call({ signal: AbortSignal.abort(reason) });
    // The iteration ends without an error.
    const expected = name === 'poller.events' ? 'ended' : reason;
    expect(
      await outcome.then(
        () => 'ended',
        (error: unknown) => error,
      ),
    ).toBe(expected);
  });
});
