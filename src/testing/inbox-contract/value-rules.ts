import { confirms, type InboxRule, rule } from './scene.js';

const LONG = 'x'.repeat(300);

/** Ids that databases change or confuse: by blanks, case, length, encoding, and as parts of a statement. */
const IDS = [' a', 'a ', 'a', 'A', 'é', 'e\u0301', '漢字 😀', "'; --", '%', '$1?', `${LONG}1`, `${LONG}2`];

export const VALUE_RULES: readonly InboxRule[] = [
  rule('ids are stored as the hub sends them: different ids are different events', async (scene) => {
    const { mock, inbox } = scene;
    const handled: string[] = [];
    const { poller } = await scene.process();
    poller.on('CONFIRMED', ({ eventId }) => void handled.push(eventId));
    for (const id of IDS) mock.emit('CONFIRMED', { eventId: id, orderId: id });
    await poller.start();
    await scene.clock.advance('10s');
    scene.equal(handled.toSorted(), IDS.toSorted(), 'handled');
    scene.equal(scene.acknowledged.toSorted(), IDS.toSorted(), 'acknowledged');
    for (const id of IDS) {
      const { events } = await inbox.history({ orderId: id });
      scene.equal(
        events.map(({ eventId, orderId }) => [eventId, orderId]),
        [[id, id]],
        'history of one order',
      );
    }
  }),

  rule('an event is given to its listener as the hub sent it', async (scene) => {
    const { mock } = scene;
    const metadata = {
      text: 'é 漢字 😀 \u2028 \ud800 \u0000',
      long: LONG.repeat(100),
      list: [1.5, null, true],
    };
    const received: unknown[] = [];
    const { poller } = await scene.process();
    poller.on('CONFIRMED', (event) => void received.push(event.metadata));
    mock.emit('CONFIRMED', { metadata });
    await poller.start();
    await scene.clock.advance('5s');
    scene.equal(received, [metadata], 'metadata');
  }),

  rule('instants are ISO 8601 texts', async (scene) => {
    const { inbox, clock } = scene;
    const began = clock.now();
    const { poller } = await scene.process({ maxAttempts: 2, retryDelayMs: { min: 5000, max: 5000 } });
    poller.on('CREATED', async (event, context) => {
      await confirms(event, context);
      throw new Error('after the commit');
    });
    poller.on('CONFIRMED', () => {
      throw new Error('the printer is off');
    });
    const { orderId } = await scene.handleOrder(poller, '3m');
    const { events, commands } = await inbox.history({ orderId });
    const instants = [
      ...events.flatMap(({ receivedAt, startedAt }) => [receivedAt, startedAt]),
      ...commands.flatMap(({ createdAt, answeredAt }) => [createdAt, answeredAt]),
      ...events.map(({ handledAt, failedAt }) => handledAt ?? failedAt),
      ...(await inbox.dead()).map(({ failedAt }) => failedAt),
    ];
    const isRight = (text: string | undefined) => {
      const ms = Date.parse(text ?? '');
      return ms >= began && ms <= clock.now() && new Date(ms).toISOString() === text;
    };
    scene.equal(instants.length, 9, 'number of instants');
    scene.equal(
      instants.filter((instant) => !isRight(instant)),
      [],
      'instants with another form, or outside of the case',
    );
  }),

  rule('it returns all rows: 120 events of one order', async (scene) => {
    const { mock, inbox } = scene;
    const { poller } = await scene.process({ maxAttempts: 1 });
    poller.on('CONFIRMED', () => {
      throw new Error('the printer is off');
    });
    const orderId = 'order';
    for (let count = 0; count < 120; count += 1) mock.emit('CONFIRMED', { orderId });
    await poller.start();
    await scene.clock.advance('1m');
    const { events } = await inbox.history({ orderId });
    const letters = await inbox.dead({ limit: 1000 });
    scene.equal([events.length, letters.length], [120, 120], 'history, dead');
    await poller.stop();
    scene.equal(await inbox.redrive({ all: true }), 120, 'redriven');
  }),

  rule('an error of the database rejects', async (scene) => {
    const { inbox } = scene;
    // No database can store it as the number of rows.
    const failed = await inbox.dead({ limit: Number.MAX_VALUE }).then(
      () => 'resolved',
      ({ code }) => code,
    );
    scene.equal(failed, 'state', 'code of the error');
  }),
];
