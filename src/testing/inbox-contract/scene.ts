import { HubClient } from '../../client.js';
import type { PollerOptions } from '../../engine/options.js';
import type { EventPoller } from '../../engine/poller.js';
import type { InboxContext } from '../../engine/reports.js';
import type { Inbox } from '../../inbox/inbox.js';
import type { OrderEvent } from '../../schemas/event.js';
import { memoryState } from '../../state/memory-state.js';
import { createMockHub } from '../create-mock-hub.js';
import { ManualClock } from '../manual-clock.js';
import type { MockHub } from '../mock-hub.js';
import { difference, isSame } from '../state-contract/compare.js';

/** What `open` of `inboxContract` resolves to. */
export interface OpenedInbox {
  /** An inbox whose tables are made and empty. */
  readonly inbox: Inbox;
  /** Another inbox over the same tables. Absent: the cases with two processes use the first one twice. */
  readonly reopen?: () => Promise<Inbox> | Inbox;
  /** Ends it; called once. */
  readonly close: () => Promise<void>;
}

/** A poller, and its end as by `kill -9`: what it calls from then on fails and has no effect. */
interface Process {
  readonly poller: EventPoller<InboxContext<unknown>>;
  readonly kill: () => void;
  /** As by SIGSTOP: what it calls waits until the returned function is called. */
  readonly suspend: () => () => void;
}

export interface InboxRule {
  readonly name: string;
  check(scene: Scene): Promise<void>;
}

export const rule = (name: string, check: InboxRule['check']): InboxRule => ({ name, check });

/** A listener that commits the command `confirm`. */
export const confirms = ({ orderId }: OrderEvent, context: InboxContext<unknown>): Promise<void> =>
  context.commit((_tx, outbox) => outbox.confirm(orderId));

/** A promise, and what resolves it. */
export function pause(): readonly [Promise<void>, resolve: () => void] {
  let resolve = () => {};
  const paused = new Promise<void>((done) => {
    resolve = done;
  });
  return [paused, resolve];
}

/** Whether a process goes on: `wait` resolves when it does. */
interface Life {
  wait: Promise<void> | undefined;
}

function mortal<Call extends (...given: never[]) => unknown>(call: Call, life: Life): Call {
  return ((...given: never[]) => (life.wait ? life.wait.then(() => call(...given)) : call(...given))) as Call;
}

/** The object; its methods wait, or fail, as `life` says. */
function mortalMethods<T extends object>(target: T, life: Life): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name);
      return typeof value === 'function' ? mortal(value.bind(object) as () => unknown, life) : value;
    },
  });
}

/** A mock hub, virtual time, an inbox, and processes that share them. */
export class Scene {
  readonly clock = new ManualClock();
  readonly mock: MockHub = createMockHub({ clock: this.clock });
  readonly inbox: Inbox;
  readonly #opened: OpenedInbox;
  readonly #state = memoryState();
  readonly #hubs: HubClient[] = [];
  /** Errors that the pollers have emitted. */
  readonly errors: Error[] = [];
  readonly refused: { readonly command: string; readonly error: unknown }[] = [];

  constructor(opened: OpenedInbox) {
    this.#opened = opened;
    this.inbox = opened.inbox;
  }

  /**
   * A poller as a process of its own has it: only the state and the tables are shared.
   *
   * @param wallClock - how far its wall clock is ahead, in ms; the monotonic one goes on when that is changed.
   */
  async process(options: PollerOptions = {}, wallClock = { aheadMs: 0 }): Promise<Process> {
    const isFirst = this.#hubs.length === 0;
    const inbox = isFirst || !this.#opened.reopen ? this.inbox : await this.#opened.reopen();
    const { mock, clock } = this;
    const life: Life = { wait: undefined };
    const hub = new HubClient({
      baseUrl: mock.baseUrl,
      ...mock.credentials,
      fetch: mortal(mock.fetch, life),
      state: mortalMethods(this.#state, life),
      clock: {
        now: () => clock.now() + wallClock.aheadMs,
        monotonic: () => clock.monotonic(),
        sleep: (...given) => clock.sleep(...given),
        timer: (...given) => clock.timer(...given),
        hold: () => clock.hold(),
      },
      logger: false,
    });
    this.#hubs.push(hub);
    const tables = mortalMethods(inbox.tables, life);
    const poller = hub
      .poller({ ...options, inbox: { ...inbox, tables } })
      .on('error', (error) => void this.errors.push(error))
      .on('commandRefused', (refused) => void this.refused.push(refused));
    const kill = () => {
      life.wait = Promise.reject(new Error('the process was killed'));
      life.wait.catch(() => {});
    };
    const suspend = () => {
      const [resumed, resume] = pause();
      life.wait = resumed;
      return () => {
        life.wait = undefined;
        resume();
      };
    };
    return { poller, kill, suspend };
  }

  /** Creates an order, starts a poller, and lets it work for this time. */
  async handleOrder(poller: Process['poller'], time: string) {
    const created = this.mock.createOrder();
    await poller.start();
    await this.clock.advance(time);
    return created;
  }

  /** The commands that were committed for an order, each with its status. */
  async commandsOf(orderId: string): Promise<string[]> {
    const { commands } = await this.inbox.history({ orderId });
    return commands.map(({ command, status }) => `${command} ${status}`);
  }

  /** The ids of the events that the hub has forgotten. */
  get acknowledged(): string[] {
    return this.mock.acknowledged().map(({ eventId }) => eventId);
  }

  /** The ids of the orders that the hub has confirmed. */
  get confirmed(): string[] {
    return this.mock
      .emitted()
      .filter(({ eventType }) => eventType === 'CONFIRMED')
      .map(({ orderId }) => orderId);
  }

  equal(received: unknown, expected: unknown, what: string): void {
    if (!isSame(received, expected, undefined)) throw new Error(`${what}\n${difference(received, expected)}`);
  }

  /** Ends the processes; the inbox stays open. */
  async close(): Promise<void> {
    // Waits for no listener: that of a killed process may never resolve.
    const closing = this.#hubs.map((hub) => hub.close({ timeoutMs: 0 }));
    await Promise.all([...closing, this.clock.advance('1m')]);
  }
}
