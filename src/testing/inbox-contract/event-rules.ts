import { confirms, type InboxRule, pause, rule } from './scene.js';

const NONE = { waiting: 0, running: 0, failed: 0, dead: 0, commands: 0, oldestMs: 0 };

export const EVENT_RULES: readonly InboxRule[] = [
  rule('an event is acknowledged when it is stored, before its listener has resolved', async (scene) => {
    const { inbox } = scene;
    const [ended, end] = pause();
    const { poller } = await scene.process();
    poller.on('CREATED', () => ended);
    const { event } = await scene.handleOrder(poller, '2s');
    scene.equal(scene.acknowledged, [event.eventId], 'acknowledged while the listener runs');
    const running = { ...NONE, running: 1, oldestMs: 2000 };
    scene.equal(await inbox.stats(), running, 'stats while the listener runs');
    end();
    await scene.clock.advance('1s');
    scene.equal(await inbox.stats(), NONE, 'stats after it');
    const { handled, acknowledged, unacknowledged } = await poller.stop();
    scene.equal([handled, acknowledged, unacknowledged], [1, 1, []], 'report');
  }),

  rule('an event that the hub sends again has one row, and is handled once', async (scene) => {
    const { mock, inbox } = scene;
    const calls: string[] = [];
    const { poller } = await scene.process();
    poller.on('event', ({ eventId }) => void calls.push(eventId));
    const { event } = await scene.handleOrder(poller, '1m');
    mock.redeliver(event.eventId);
    await scene.clock.advance('2m');
    const { events } = await inbox.history({ orderId: event.orderId });
    const counts = [calls, events.length, mock.pending().length];
    scene.equal(counts, [[event.eventId], 1, 0], 'calls, rows, unacknowledged');
  }),

  rule(
    'a failed event runs again after retryDelayMs without the hub, and blocks its order',
    async (scene) => {
      const { mock, inbox, clock } = scene;
      const calls: string[] = [];
      const { poller } = await scene.process({ retryDelayMs: { min: 10_000, max: 10_000 } });
      const began = clock.now();
      poller.on('event', ({ eventType }) => {
        calls.push(`${Math.floor((clock.now() - began) / 10_000)} ${eventType}`);
        if (calls.length < 3) throw new Error('not yet');
      });
      const { orderId } = mock.createOrder();
      mock.emit('CONFIRMED', { orderId });
      await poller.start();
      await scene.clock.advance('1s');
      mock.faults.random({ seed: 1, rate: 1, types: ['reset'] });
      await scene.clock.advance('8s');
      const failed = { ...NONE, waiting: 1, failed: 1, oldestMs: 9000 };
      scene.equal(await inbox.stats(), failed, 'stats between the failure and the retry');
      await scene.clock.advance('30s');
      const expected = ['0 CREATED', '1 CREATED', '2 CREATED', '2 CONFIRMED'];
      scene.equal(calls, expected, 'calls, in units of 10 s');
      const [created] = (await inbox.history({ orderId })).events;
      scene.equal([created?.status, created?.attempts, created?.error], ['handled', 3, 'Error'], 'history');
    },
  ),

  rule('after maxAttempts an event is dead, blocks no other, and gets one run by redrive', async (scene) => {
    const { mock, inbox } = scene;
    const calls: string[] = [];
    const letters: number[] = [];
    const { poller } = await scene.process({ maxAttempts: 2, retryDelayMs: { min: 5000, max: 5000 } });
    poller.on('event', ({ eventType }) => {
      calls.push(eventType);
      if (eventType === 'CREATED') throw new RangeError('a secret of the customer');
    });
    poller.on('deadLetter', ({ attempts }) => void letters.push(attempts));
    const { orderId, event } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    await poller.start();
    await scene.clock.advance('30s');
    scene.equal([calls, letters], [['CREATED', 'CREATED', 'CONFIRMED'], [2]], 'calls and dead letters');
    scene.equal(await inbox.stats(), { ...NONE, dead: 1 }, 'stats');
    const [dead] = await inbox.dead();
    const shown = [dead?.eventId, dead?.orderId, dead?.eventType, dead?.attempts, dead?.error];
    const expected = [event.eventId, orderId, 'CREATED', 2, 'RangeError'];
    scene.equal(shown, expected, 'the dead event, without a message');
    scene.equal(await inbox.redrive({ eventId: event.eventId }), 1, 'redriven');
    await scene.clock.advance('30s');
    scene.equal([calls.length, letters], [4, [2, 3]], 'one run more');
    scene.equal((await inbox.stats()).dead, 1, 'dead again');
    scene.equal(await inbox.redrive({ all: true }), 1, 'redriven with all');
  }),

  rule('what a crash interrupts is handled by the next process, which counts the attempt', async (scene) => {
    const first = await scene.process();
    first.poller.on('CREATED', () => new Promise(() => {}));
    const { event } = await scene.handleOrder(first.poller, '5s');
    first.kill();
    const attempts: number[] = [];
    const second = await scene.process();
    second.poller.on('CREATED', (_event, { attempt }) => void attempts.push(attempt));
    void second.poller.start();
    await scene.clock.advance('2m');
    scene.equal([attempts, scene.acknowledged], [[2], [event.eventId]], 'attempts, acknowledged');
  }),

  rule('an event that ends its process each time becomes dead', async (scene) => {
    const { mock, inbox } = scene;
    mock.createOrder();
    for (let count = 0; count < 4; count += 1) {
      const { poller, kill } = await scene.process({ maxAttempts: 2 });
      poller.on('CREATED', () => kill());
      void poller.start();
      await scene.clock.advance('2m');
      kill();
    }
    const [dead] = await inbox.dead();
    scene.equal([dead?.attempts, dead?.error], [2, 'ProcessEnded'], 'the dead event');
  }),

  rule(
    'types without a listener are not stored; one that needs an answer stays at the hub',
    async (scene) => {
      const { mock, inbox } = scene;
      const { poller } = await scene.process();
      poller.on('DISPATCHED', () => {});
      const { event } = mock.createOrder();
      mock.emit('CONFIRMED', { orderId: event.orderId });
      await poller.start();
      await scene.clock.advance('5s');
      const pending = mock.pending().map(({ eventType }) => eventType);
      scene.equal(pending, ['CREATED'], 'at the hub');
      scene.equal((await inbox.history({ orderId: event.orderId })).events, [], 'stored');
    },
  ),

  rule('runOnce stores, acknowledges and handles what is due', async (scene) => {
    const { mock, inbox } = scene;
    const { poller } = await scene.process();
    const handled: string[] = [];
    poller.on('CREATED', async ({ eventId }, context) => {
      await context.commit(() => {});
      handled.push(eventId);
    });
    const events = Array.from({ length: 3 }, () => mock.createOrder().event.eventId);
    const report = await poller.runOnce();
    const { received, acknowledged, unacknowledged, failures } = report;
    const counts = [received, report.handled, acknowledged, unacknowledged, failures];
    scene.equal(counts, [3, 3, 3, [], []], 'the report');
    scene.equal(handled.toSorted(), events.toSorted(), 'handled');
    scene.equal(await inbox.stats(), NONE, 'stats');
  }),

  rule('prune removes what is handled and older, and nothing else', async (scene) => {
    const { mock, inbox } = scene;
    const { poller } = await scene.process();
    const bad = mock.createOrder();
    const good = mock.createOrder();
    poller.on('CREATED', async (event, context) => {
      if (event.orderId === bad.orderId) throw new Error('bad');
      await confirms(event, context);
    });
    await poller.start();
    await scene.clock.advance('5m');
    await poller.stop();
    scene.equal(await inbox.prune({ olderThanMs: 3_600_000 }), 0, 'nothing is an hour old');
    scene.equal(await inbox.prune({ olderThanMs: 60_000 }), 2, 'the event and its command');
    const { events } = await inbox.history({ orderId: good.orderId });
    scene.equal(events, [], 'history of the handled order');
    scene.equal((await inbox.stats()).failed, 1, 'the failed event');
  }),

  rule('an event that waits for its retry runs again also if the clock is set back', async (scene) => {
    const { inbox } = scene;
    const wallClock = { aheadMs: 0 };
    let calls = 0;
    const { poller } = await scene.process({ retryDelayMs: { min: 60_000, max: 60_000 } }, wallClock);
    poller.on('CREATED', () => {
      calls += 1;
      throw new Error('the printer is off');
    });
    await scene.handleOrder(poller, '5s');
    wallClock.aheadMs = -3_600_000;
    await scene.clock.advance('1m');
    scene.equal(calls, 2, 'calls');
    await inbox.redrive({ all: true });
    await scene.clock.advance('5s');
    scene.equal(calls, 3, 'calls after redrive');
  }),

  rule('a command that waits for its next try is sent also if the clock is set back', async (scene) => {
    const wallClock = { aheadMs: 0 };
    const { poller } = await scene.process({}, wallClock);
    poller.on('CREATED', confirms);
    scene.mock.faults.next('orderStatus', { status: 429, headers: { 'retry-after': '5' } });
    const { orderId } = await scene.handleOrder(poller, '2s');
    wallClock.aheadMs = -3_600_000;
    await scene.clock.advance('1m');
    scene.equal(scene.confirmed, [orderId], 'confirmed');
  }),

  rule('a process whose clock is slow goes on with what another one has left', async (scene) => {
    const first = await scene.process({}, { aheadMs: 300_000 });
    first.poller.on('CREATED', () => {
      throw new Error('the printer is off');
    });
    const left = await scene.handleOrder(first.poller, '5s');
    first.kill();
    const second = await scene.process();
    second.poller.on('CREATED', confirms);
    void second.poller.start();
    await scene.clock.advance('2m');
    scene.equal(scene.confirmed, [left.orderId], 'confirmed');
  }),

  rule('redrive runs a dead event at once, also if a later event of its order waits', async (scene) => {
    const { mock, inbox } = scene;
    const calls: string[] = [];
    const { poller } = await scene.process({ maxAttempts: 2, retryDelayMs: { min: 30_000, max: 600_000 } });
    poller.on('event', ({ eventType }) => {
      calls.push(eventType);
      throw new Error('the printer is off');
    });
    const { event } = await scene.handleOrder(poller, '70s');
    mock.emit('CONFIRMED', { orderId: event.orderId });
    await scene.clock.advance('30s');
    scene.equal(calls, ['CREATED', 'CREATED', 'CONFIRMED'], 'calls before redrive');
    await inbox.redrive({ eventId: event.eventId });
    await scene.clock.advance('5s');
    scene.equal(calls.slice(3), ['CREATED'], 'calls after redrive');
  }),
];
