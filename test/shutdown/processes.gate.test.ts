import { createMockHub } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { some } from '../runs.js';
import { run } from './child.js';

/** What a script does with a client whose poller it does not start. */
const WITHOUT_START = [
  '',
  'await poller.stop();',
  'poller.pause();',
  'await hub.merchant.get();',
  'await hub.close();',
];
/** What a script does with a client whose poller it has started. */
const STARTED = [
  'await started; await poller.stop();',
  'await poller.stop(); await started;',
  'await started; poller.pause(); await poller.stop();',
  'await started; controller.abort();',
  'controller.abort(); await started;',
  'await started; await hub.merchant.get(); await poller.stop();',
  'await poller.stop(); await started; await poller.runOnce();',
  'await started; await hub.close();',
  'await hub.close(); await started;',
  "await started; hub.orders.get('1', { signal: AbortSignal.timeout(1) }).catch(() => {}); await poller.stop();",
];

const FAULTS = [
  ...[500, 400, 401, 403, 404, 418, 429],
  ...['reset', 'lost', 'hang', 'truncate', 'malformed', 'dribble'],
  { type: 'latency', ms: 40_000 },
];

describe('a process ends without process.exit()', () => {
  it.each([
    ['if its pollers were not started', WITHOUT_START, ''],
    [
      'if its pollers were stopped, in any of the ways',
      STARTED,
      'const started = poller.start({ signal: controller.signal }).catch(() => {});',
    ],
  ])(
    '%s',
    async (_what, scripts, before) => {
      const mock = createMockHub();
      const server = await mock.listen();
      onTestFinished(async () => void (await server.close()));
      const parts = scripts.map((script, index) => {
        const store = mock.addStore({ clientId: `${index}`, clientSecret: `s${index}`, apiKey: `k${index}` });
        mock.createOrder({ clientId: store.clientId });
        return `await (async () => {
        const hub = new HubClient({ ...${JSON.stringify({ baseUrl: server.url, ...store })}, state: memoryState() });
        const poller = hub.poller().on('event', () => {});
        const controller = new AbortController();
        ${before}
        ${script}
      })();`;
      });
      const { code, stderr } = await run(
        `import { HubClient, memoryState } from 'opendelivery-client'; ${parts.join('')}`,
      );
      // The mock hub keeps its side of every connection open.
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      if (before) expect(mock.acknowledged('0')).toHaveLength(1);
    },
    60_000,
  );

  it('if its client is idle, though a connection is open', async () => {
    const mock = createMockHub();
    const server = await mock.listen();
    onTestFinished(async () => void (await server.close()));
    const { code, signal } = await run(`
      import { HubClient } from 'opendelivery-client';
      const hub = new HubClient(${JSON.stringify({ baseUrl: server.url, ...mock.credentials })});
      await hub.merchant.get();
      await hub.events.poll();
    `);
    // The mock hub keeps its side of the connection open.
    expect([code, signal]).toEqual([0, null]);
    expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual(['merchant', 'token', 'polling']);
  });
});

it('no failure of a hub, a state, a listener or a logger causes an unhandled rejection', async () => {
  const faults = some(FAULTS, 6);
  const { code, stdout, stderr } = await run(
    `
    import { HubClient, memoryState } from 'opendelivery-client';
    import { createMockHub, ManualClock } from 'opendelivery-client/testing';
    let played = 0;
    const broken = () => { throw new Error('broken'); };
    const rejects = () => Promise.reject(new Error('rejected'));
    const states = [{}, { mark: rejects }, { recall: rejects }, { get: rejects, set: broken }, { settle: rejects },
      { reserve: rejects, lease: rejects }, { reserve: broken, settle: broken, mark: broken }];
    const bound = (state) => Object.fromEntries(
      ['get', 'set', 'reserve', 'settle', 'lease', 'recall', 'mark'].map((name) => [name, state[name].bind(state)]));
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    for (const fault of ${JSON.stringify(faults)}) for (const parts of states) {
      const clock = new ManualClock();
      const mock = createMockHub({ clock });
      const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock, logger,
        state: { ...bound(memoryState()), ...parts } });
      for (const name of ['request', 'response', 'retry', 'rateLimited', 'tokenRenewed', 'tokenRenewalFailed']) {
        hub.on(name, broken); hub.on(name, rejects);
      }
      hub.merchant.on('updated', rejects);
      const poller = hub.poller({ maxAttempts: 2, listenerTimeoutMs: 1000 });
      poller.on('CREATED', rejects).on('CONFIRMED', broken).on('PREPARING', () => clock.sleep(5000).then(broken))
        .on('deadLetter', rejects).on('DELIVERED', () => {});
      for (const name of ['started', 'polled', 'acknowledged', 'acknowledgeFailed', 'listenerFailed', 'unhandled',
        'invalid', 'backoff', 'recovered', 'error', 'stopped']) poller.on(name, name.length % 2 ? broken : rejects);
      for (const type of ['CREATED', 'CONFIRMED', 'PREPARING', 'DELIVERED', 'NEW']) mock.emit(type);
      for (const endpoint of ['token', 'merchant', 'polling', 'acknowledgment', 'order', 'orderStatus']) {
        mock.faults.next(endpoint, fault, 3);
      }
      const controller = new AbortController();
      // The application handles the rejections of its calls; all others are the client's to handle.
      const calls = [poller.start(), hub.merchant.get(), hub.orders.get('1'), hub.orders.confirm('1'),
        hub.auth.renew({ signal: controller.signal }), hub.auth.getToken({ signal: controller.signal })];
      for (const call of calls) call.catch(() => {});
      controller.abort();
      // The clock does not wait for the hanging requests.
      clock.park(); clock.park(); clock.park(); clock.park(); clock.park(); clock.park();
      for (let minute = 0; minute < 15; minute += 1) await clock.advance('1m');
      const stopping = poller.stop({ timeoutMs: 1000 });
      await clock.advance('2m');
      await stopping;
      const closing = hub.close();
      await clock.advance('2m');
      await closing;
      await clock.advance('10m');
      played += 1;
    }
    console.log('played ' + played);
    `,
    '--unhandled-rejections=strict',
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // Each with seven states.
  expect(stdout.trim()).toBe(`played ${faults.length * 7}`);
});
