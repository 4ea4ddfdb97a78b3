import { LeaseLostError } from '../../errors/index.js';
import { confirms, type InboxRule, pause, rule } from './scene.js';

export const COMMIT_RULES: readonly InboxRule[] = [
  rule('a committed event is not handled again, and its command is sent once', async (scene) => {
    const { mock, inbox } = scene;
    let calls = 0;
    const { poller } = await scene.process();
    poller.on('CREATED', async ({ orderId }, context) => {
      calls += 1;
      const result = await context.commit((_tx, outbox) => {
        outbox.confirm(orderId);
        return 'written';
      });
      scene.equal(result, 'written', 'what commit resolves to');
    });
    const { event, orderId } = await scene.handleOrder(poller, '1m');
    mock.redeliver(event.eventId);
    await scene.clock.advance('2m');
    scene.equal([calls, scene.confirmed], [1, [orderId]], 'calls, confirmed');
    const { length, 0: sent } = (await inbox.history({ orderId })).commands;
    scene.equal(
      [length, sent?.status, sent?.attempts, sent?.eventId],
      [1, 'sent', 1, event.eventId],
      'command',
    );
  }),

  rule('a rollback leaves nothing: no mark, no command', async (scene) => {
    const { inbox } = scene;
    let calls = 0;
    const { poller } = await scene.process({ retryDelayMs: { min: 5000, max: 5000 } });
    poller.on('CREATED', async ({ orderId }, context) => {
      calls += 1;
      await context.commit((_tx, outbox) => {
        outbox.confirm(orderId);
        if (calls === 1) throw new Error('the table is locked');
        outbox.preparing(orderId);
      });
    });
    const { orderId } = await scene.handleOrder(poller, '3s');
    scene.equal([scene.confirmed, (await inbox.stats()).commands], [[], 0], 'after the rollback');
    await scene.clock.advance('30s');
    scene.equal(await scene.commandsOf(orderId), ['confirm sent', 'preparing sent'], 'commands');
  }),

  rule('commit is called at most once; the first call stands', async (scene) => {
    const { inbox } = scene;
    const codes: unknown[] = [];
    const { poller } = await scene.process();
    poller.on('CREATED', async ({ orderId }, context) => {
      const { commit } = context;
      await commit(() => {});
      await commit((_tx, outbox) => outbox.confirm(orderId)).catch((error) => codes.push(error.code));
    });
    const { orderId } = await scene.handleOrder(poller, '30s');
    scene.equal(codes, ['configuration'], 'the second call');
    const { events, commands } = await inbox.history({ orderId });
    scene.equal([events[0]?.status, commands], ['handled', []], 'history');
  }),

  rule('a listener that fails after its commit is not called again', async (scene) => {
    const { inbox } = scene;
    let calls = 0;
    const { poller } = await scene.process({ retryDelayMs: { min: 5000, max: 5000 } });
    poller.on('CREATED', async (_event, context) => {
      calls += 1;
      await context.commit(() => {});
      throw new Error('after the commit');
    });
    await scene.handleOrder(poller, '1m');
    scene.equal([calls, (await inbox.stats()).failed], [1, 0], 'calls, failed');
    const messages = scene.errors.map(({ message }) => message);
    scene.equal(messages, ['after the commit'], 'errors');
  }),

  rule('a listener whose commit failed has failed, also if it resolves', async (scene) => {
    const { inbox } = scene;
    const { poller } = await scene.process();
    poller.on('CREATED', async (_event, context) => {
      const fail = () => {
        throw new Error('rolled back');
      };
      await context.commit(fail).catch(() => {});
    });
    await scene.handleOrder(poller, '5s');
    scene.equal((await inbox.stats()).failed, 1, 'failed');
  }),

  rule(
    'a listener that outlives its lease cannot commit; the next process handles the event',
    async (scene) => {
      const { mock } = scene;
      const outcomes: string[] = [];
      const [resumed, goOn] = pause();
      const first = await scene.process({ listenerTimeoutMs: 600_000 });
      first.poller.on('CREATED', async (event, context) => {
        await resumed;
        try {
          await confirms(event, context);
          outcomes.push('first');
        } catch (error) {
          outcomes.push(error instanceof LeaseLostError ? 'lease lost' : String(error));
        }
      });
      const { orderId } = mock.createOrder();
      await first.poller.start();
      await scene.clock.advance('5s');
      // Suspended: it renews nothing, but later it goes on where it was.
      const resume = first.suspend();
      const second = await scene.process();
      second.poller.on('CREATED', async (event, context) => {
        await confirms(event, context);
        outcomes.push('second');
      });
      void second.poller.start();
      await scene.clock.advance('3m');
      resume();
      goOn();
      await scene.clock.advance('1m');
      scene.equal([outcomes, scene.confirmed], [['second', 'lease lost'], [orderId]], 'outcomes, confirmed');
    },
  ),

  rule('a command that was committed is sent by the next process, if the first has ended', async (scene) => {
    const { mock } = scene;
    const first = await scene.process();
    first.poller.on('CREATED', async (event, context) => {
      await confirms(event, context);
      first.kill();
    });
    mock.faults.next('orderStatus', { type: 'latency', ms: 20_000 });
    const { orderId } = mock.createOrder();
    await first.poller.start();
    await scene.clock.advance('5s');
    first.kill();
    const second = await scene.process();
    second.poller.on('event', () => {});
    void second.poller.start();
    await scene.clock.advance('5m');
    scene.equal(scene.confirmed, [orderId], 'confirmed');
  }),

  rule('a command whose response was lost is not carried out twice', async (scene) => {
    const { mock, inbox } = scene;
    mock.faults.next('orderStatus', 'lost', 1);
    const { poller } = await scene.process();
    poller.on('CREATED', confirms);
    const { orderId } = await scene.handleOrder(poller, '5m');
    const [command] = (await inbox.history({ orderId })).commands;
    scene.equal([scene.confirmed, command?.status], [[orderId], 'sent'], 'confirmed, status');
    const posts = mock.requests.filter(({ endpoint }) => endpoint === 'orderStatus').length;
    scene.equal(posts, 1, 'times it was sent');
  }),

  rule('a command that the hub refuses is reported, kept, and holds back no later one', async (scene) => {
    const { poller } = await scene.process();
    poller.on('CREATED', async ({ orderId }, context) => {
      await context.commit((_tx, outbox) => {
        outbox.updateStatus(orderId, 'no-such-command');
        outbox.confirm(orderId);
      });
    });
    const { orderId } = await scene.handleOrder(poller, '30s');
    const refused = scene.refused.map(({ command }) => command);
    scene.equal(refused, ['no-such-command'], 'commandRefused');
    scene.equal(scene.confirmed, [orderId], 'confirmed');
    scene.equal(await scene.commandsOf(orderId), ['no-such-command refused', 'confirm sent'], 'commands');
  }),

  rule('commands wait while the hub is away, and leave in the sequence of their order', async (scene) => {
    const { mock } = scene;
    const { poller } = await scene.process();
    poller.on('CREATED', async ({ orderId }, context) => {
      await context.commit((_tx, outbox) => {
        outbox.confirm(orderId);
        outbox.preparing(orderId);
        outbox.readyForPickup(orderId);
      });
    });
    const { orderId } = mock.createOrder();
    mock.faults.next('orderStatus', 'reset', 2);
    await poller.start();
    await scene.clock.advance('5m');
    const events = mock.emitted().filter((event) => event.orderId === orderId);
    const types = events.map(({ eventType }) => eventType);
    scene.equal(types, ['CREATED', 'CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP'], 'events');
  }),
];
