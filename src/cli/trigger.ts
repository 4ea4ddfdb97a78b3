import { Command, InvalidArgumentError, Option } from 'commander';
import { isObject, parseJson } from '../reading/json.js';
import type { HubEvent } from '../testing/mock-store.js';
import { DELIVERERS, ORDER_PARTS } from '../testing/order-amounts.js';
import { addressFrom, integerFrom } from './parse-option.js';
import { paint, styled } from './styled.js';
import type { Terminal } from './terminal.js';
import { controlClient, latestOpenOrder } from './trigger/control-client.js';

const HUB = 'http://127.0.0.1:4010';

interface CommonOptions {
  readonly url: string;
  readonly store?: string;
  readonly json?: boolean;
}

interface EventOptions extends CommonOptions {
  readonly order?: string;
}

interface OrderOptions extends CommonOptions {
  readonly type: string;
  readonly timing: string;
  readonly deliveredBy: string;
  readonly include?: readonly string[];
  readonly count: number;
}

interface CreatedOrder {
  readonly orderId: string;
  readonly order: {
    readonly displayId: string;
    readonly total: { readonly orderAmount: { readonly value: number; readonly currency: string } };
  };
}

export function triggerCommand(terminal: Terminal): Command {
  return new Command('trigger')
    .description(
      'Makes a running mock hub create an order, emit an event, or ask the store to cancel an order.',
    )
    .addCommand(orderCommand(terminal))
    .addCommand(eventCommand(terminal))
    .addCommand(cancellationCommand(terminal));
}

function common(command: Command): Command {
  return command
    .option('--url <url>', 'address of the mock hub', addressFrom(HUB), HUB)
    .option('--store <client id>', 'the store; default: the first one')
    .option('--json', 'print one JSON object per line');
}

function orderCommand(terminal: Terminal): Command {
  const command = new Command('order')
    .description('Creates an order, which emits CREATED.')
    .addOption(oneOf('--type <type>', 'how the customer gets it', ['DELIVERY', 'TAKEOUT', 'INDOOR']))
    .addOption(oneOf('--timing <timing>', 'when it is due', ['INSTANT', 'SCHEDULED', 'ONDEMAND']))
    .addOption(oneOf('--delivered-by <who>', 'who delivers it', DELIVERERS))
    .option(
      '--include <parts>',
      `what else it contains, with commas between: ${ORDER_PARTS.join(', ')}`,
      parts,
    )
    .option('--count <number>', 'how many orders', integerFrom(1, 10_000), 1);
  return common(command).action((options: OrderOptions) => createOrders(terminal, options));
}

async function createOrders(terminal: Terminal, options: OrderOptions): Promise<void> {
  const mock = controlClient(options.url, terminal.clock);
  const { type, timing: orderTiming, deliveredBy, include = [] } = options;
  for (let created = 0; created < options.count; created += 1) {
    const order = { type, orderTiming, deliveredBy, include, ...storeOf(options) };
    const result = await mock.post<CreatedOrder>('orders', order);
    if (options.json) {
      await terminal.json(result);
      continue;
    }
    const { displayId, total } = result.order;
    const amount = `${total.orderAmount.currency} ${total.orderAmount.value.toFixed(2)}`;
    const kind = [type, orderTiming, ...include].join(', ');
    await terminal.line(
      styled`${paint('green', 'created')} order ${paint('bold', displayId)}  ${kind}  ${amount}  ${paint('dim', result.orderId)}`,
    );
  }
}

function eventCommand(terminal: Terminal): Command {
  const command = new Command('event')
    .description(
      "Emits an event for an order, such as CONCLUDED; any type, also one that the standard doesn't have.",
    )
    .argument('<type>', 'type of the event')
    .addOption(orderOption())
    .option('--metadata <json>', "the event's metadata, a JSON object", jsonObject);
  return common(command).action((eventType: string, options: EventOptions & { metadata?: object }) =>
    emit(terminal, options, { eventType, ...(options.metadata && { metadata: options.metadata }) }),
  );
}

function cancellationCommand(terminal: Terminal): Command {
  const command = new Command('cancellation')
    .description('Requests the cancellation of an order, which the store must accept or deny.')
    .addOption(orderOption())
    .option('--reason <text>', 'the reason of the request', 'the customer has changed their mind')
    .option('--code <code>', "the standard's code of the reason", 'CONSUMER_CANCELLATION_REQUESTED');
  return common(command).action((options: EventOptions & { reason: string; code: string }) => {
    const { reason, code } = options;
    return emit(terminal, options, { eventType: 'ORDER_CANCELLATION_REQUEST', metadata: { reason, code } });
  });
}

async function emit(
  terminal: Terminal,
  options: EventOptions,
  event: { readonly eventType: string; readonly metadata?: object },
) {
  const mock = controlClient(options.url, terminal.clock);
  const orderId = options.order ?? (await latestOpenOrder(mock, options.store));
  const emitted = await mock.post<HubEvent>('events', { ...event, orderId, ...storeOf(options) });
  if (options.json) return terminal.json(emitted);
  await terminal.line(
    styled`${paint('green', 'emitted')} ${paint('bold', emitted.eventType)} for order ${paint('dim', orderId)}`,
  );
}

const storeOf = ({ store }: CommonOptions) => store !== undefined && { clientId: store };

const orderOption = () => new Option('--order <id>', 'id of the order; default: the newest open order');

/** One of the values, in any case. The first is the default. */
function oneOf(flags: string, description: string, values: readonly [string, ...string[]]): Option {
  return new Option(flags, `${description}: ${values.join(', ')}`).default(values[0]).argParser((text) => {
    const value = values.find((each) => each === text.toUpperCase());
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  });
}

function parts(text: string): readonly string[] {
  const given = text.split(',').map((part) => part.trim());
  const known: readonly string[] = ORDER_PARTS;
  if (given.every((part) => known.includes(part))) return given;
  throw new InvalidArgumentError(`It must be some of ${known.join(', ')}, with commas between.`);
}

function jsonObject(text: string): object {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw new InvalidArgumentError(`It must be a JSON object, such as '{"reason":"no dough"}'.`);
}
