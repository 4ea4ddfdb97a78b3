import { importPeer } from '../packages.js';
import { EXCHANGES, type HubEvent } from './exchanges.js';
import type { LoopInput } from './loops.js';
import type { Turns } from './main.js';

interface Command {
  readonly input: { readonly Entries?: ReadonlyArray<{ readonly ReceiptHandle?: string }> };
}

interface SqsConsumer {
  Consumer: {
    create(options: object): { start(): void; on(name: string, listener: (error: Error) => void): void };
  };
}

/**
 * The loop of sqs-consumer over the floor's requests. Its client is a queue that
 * receives from our hub, and acknowledges when the consumer has deleted all
 * messages. So what is measured is the loop, without Amazon's client.
 */
export async function sqsLoop({ hub, polls }: LoopInput): Promise<Turns> {
  const { Consumer } = (await importPeer('sqs-consumer')) as SqsConsumer;
  const exchange = await EXCHANGES.rawUndici(hub);
  let pending: HubEvent[] = [];
  let received: HubEvent[] = [];
  let deleted = 0;
  let pollsLeft = 0;
  let begin = () => {};
  let finish = () => {};
  const turn = () =>
    new Promise<void>((resolve) => {
      begin = resolve;
    });
  let begun = turn();

  const receive = async () => {
    if (pending.length === 0) {
      if (pollsLeft === 0) await begun;
      pollsLeft -= 1;
      received = await exchange.poll();
      pending = [...received];
      deleted = 0;
    }
    return {
      Messages: pending.splice(0, 10).map((event) => ({
        MessageId: event.eventId,
        ReceiptHandle: event.eventId,
        Body: JSON.stringify(event),
      })),
    };
  };
  const remove = async (count: number) => {
    deleted += count;
    if (deleted < received.length) return {};
    const batches: Promise<void>[] = [];
    for (let from = 0; from < received.length; from += 100) {
      batches.push(exchange.acknowledge(received.slice(from, from + 100)));
    }
    await Promise.all(batches);
    if (pollsLeft === 0) {
      begun = turn();
      finish();
    }
    return {};
  };
  const sqs = {
    async send(command: Command) {
      switch (command.constructor.name) {
        case 'ReceiveMessageCommand':
          return receive();
        case 'DeleteMessageBatchCommand':
          await remove(command.input.Entries?.length ?? 0);
          return { Successful: [], Failed: [] };
        default:
          return remove(1);
      }
    },
  };
  let handled = 0;
  const consumer = Consumer.create({
    queueUrl: 'https://queue.example/orders',
    sqs,
    batchSize: 10,
    suppressFifoWarning: true,
    handleMessageBatch: async (messages: readonly { Body: string }[]) => {
      for (const { Body } of messages) {
        const { eventType } = JSON.parse(Body) as HubEvent;
        if (eventType === 'CREATED') handled += 1;
      }
      return messages;
    },
  });
  consumer.on('error', (error) => {
    throw error;
  });
  consumer.start();
  return {
    async run() {
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      pollsLeft = polls;
      begin();
      await finished;
      return handled;
    },
  };
}
