import { ConnectionError, RateLimitError, ServerError } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it, vi } from 'vitest';
import { type RetryPlan, sendAgain } from '../../src/http/retry.js';

const OPTIONS = { attempts: 4, minDelayMs: 1000, maxDelayMs: 60_000, deadlineMs: 300_000 };
const failure = () => new ConnectionError('order', 'reset', { mayHaveReachedHub: true });

function planOf(clock: ManualClock, more: Partial<RetryPlan> = {}): RetryPlan {
  const { signal } = new AbortController();
  const plan = { options: OPTIONS, clock, startedAt: clock.monotonic(), signal: () => signal };
  return { ...plan, mayRetry: () => true, onRetry: () => {}, ...more };
}

/** The first attempt, and the others if it fails. */
async function withRetries(send: (attempt: number) => Promise<unknown>, plan: RetryPlan): Promise<unknown> {
  try {
    return await send(1);
  } catch (error) {
    return sendAgain(send, error, plan);
  }
}

/** The outcome of `send` with retries, after enough time for all of them. */
async function outcomeOf(send: (attempt: number) => Promise<unknown>, more: Partial<RetryPlan> = {}) {
  const clock = new ManualClock();
  const outcome = withRetries(send, planOf(clock, more)).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  await clock.advance('10m');
  return outcome;
}

it('returns the first success', async () => {
  const send = vi.fn(async (attempt: number) => {
    if (attempt < 3) throw failure();
    return `attempt ${attempt}`;
  });
  expect(await outcomeOf(send)).toEqual({ value: 'attempt 3' });
  expect(send.mock.calls).toEqual([[1], [2], [3]]);
});

it.each([1, 2, 3, 4])('throws the error of the last of %i attempts, as it is', async (attempts) => {
  const errors = Array.from({ length: attempts }, failure);
  const send = async (attempt: number) => Promise.reject(errors[attempt - 1]);
  const outcome = await outcomeOf(send, { options: { ...OPTIONS, attempts } });
  expect(Reflect.get(outcome, 'error')).toBe(errors.at(-1));
});

it.each([1, 2, 3])('stops after attempt %i if its error must not be retried', async (last) => {
  const final = failure();
  const send = vi.fn(async (attempt: number) => Promise.reject(attempt === last ? final : failure()));
  const outcome = await outcomeOf(send, { mayRetry: (error) => error !== final });
  expect(Reflect.get(outcome, 'error')).toBe(final);
  expect(send).toHaveBeenCalledTimes(last);
});

it.each([
  ['a string', 'thrown as a string'],
  ['undefined', undefined],
  ['a symbol', Symbol('thrown')],
  ['a TypeError', new TypeError('a bug')],
  ['an error of another realm', { name: 'Error', message: 'not an instance of Error' }],
])('does not wrap %s, in no attempt', async (_what, thrown) => {
  for (const last of [1, 2]) {
    const send = (attempt: number) => Promise.reject(attempt === last ? thrown : failure());
    const outcome = await outcomeOf(send, { mayRetry: (error) => error !== thrown });
    expect(outcome).toEqual({ error: thrown });
    expect(Reflect.get(outcome, 'error')).toBe(thrown);
  }
});

it.each([1, 2])(
  "throws the signal's reason if it aborts during the wait after attempt %i",
  async (attempt) => {
    const clock = new ManualClock();
    const controller = new AbortController();
    let retries = 0;
    const onRetry = () => {
      retries += 1;
      if (retries === attempt) controller.abort('not an Error');
    };
    const send = vi.fn(() => Promise.reject(failure()));
    const sent = expect(
      withRetries(send, planOf(clock, { signal: () => controller.signal, onRetry })),
    ).rejects.toBe('not an Error');
    await clock.advance('10m');
    await sent;
    expect(send).toHaveBeenCalledTimes(attempt);
    expect(clock.sleepers).toBe(0);
  },
);

it('waits as long as the hub asks after a 429, and announces each attempt', async () => {
  const options = { endpoint: 'order', status: 429, attempts: 1, body: '', origin: 'hub' } as const;
  const limited = new RateLimitError('slow down', { ...options, retryAfterMs: 7000 });
  const onRetry = vi.fn();
  await outcomeOf(() => Promise.reject(limited), { onRetry });
  expect(onRetry.mock.calls).toEqual([2, 3, 4].map((attempt) => [limited, attempt, 7000]));
});

it('starts no wait that would end after the deadline', async () => {
  const slow = { endpoint: 'order', status: 429, attempts: 1, body: '', origin: 'hub' } as const;
  const limited = new RateLimitError('slow down', { ...slow, retryAfterMs: 200_000 });
  const send = vi.fn(() => Promise.reject(limited));
  expect(await outcomeOf(send)).toEqual({ error: limited });
  expect(send).toHaveBeenCalledTimes(2);
});

it('retries a server error too', async () => {
  const broken = new ServerError('broken', { endpoint: 'order', status: 500, attempts: 1, body: '' });
  const send = vi.fn(async (attempt: number) => (attempt === 1 ? Promise.reject(broken) : 'good'));
  expect(await outcomeOf(send)).toEqual({ value: 'good' });
});
