import * as z from 'zod';
import { noInput } from '../../testing/control-input.js';
import type { Clock } from '../../time/clock.js';
import { SCRIPTS } from '../certify/scripts/index.js';
import { certifyCommand } from '../certify.js';
import { Captured } from './captured.js';
import { type Tool, tool } from './tool.js';

const address = z.url({ protocol: /^https?$/ });

const newRehearsal = z.strictObject({
  script: z.enum(SCRIPTS.map(({ name }) => name) as [string, ...string[]]),
  drive: address.exactOptional(),
  push: address.exactOptional(),
  port: z.int().min(0).max(65_535).exactOptional(),
  scale: z.number().min(1).max(120).exactOptional(),
});

const ofItem = z.strictObject({ item: z.string().min(1).exactOptional() });

interface Rehearsal {
  readonly captured: Captured;
  /** Settles when it is over. */
  readonly ended: Promise<void>;
  readonly ending: AbortController;
  isOver: boolean;
}

interface Items {
  readonly items: readonly { readonly id: string }[];
}

/** `opendelivery certify`: it takes minutes, so one tool begins it and the other one reads how far it is. */
export class Rehearsals {
  readonly #clock: Clock;
  #current: Rehearsal | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get tools(): readonly Tool[] {
    return [
      tool('start_rehearsal', newRehearsal, {
        does: "Rehearses a host's homologation with an application, at a mock hub of its own, and ends an earlier rehearsal. Returns the variables with which the application must connect within 14 minutes of the hub's clock (at least 50 seconds); fix `port` to start the application before. `drive` is the address at which the application carries out the steps (docs/certify-protocol.md); without it, a person does what the notes of read_rehearsal ask for. `scale: 30` makes a minute of the hub take two seconds.",
        isOpenWorld: true,
        run: (input) => this.#start(input),
      }),
      tool('read_rehearsal', ofItem, {
        does: 'Returns how far the rehearsal is: its notes while it runs, then each item with its result (passed, failed, not seen) and its evidence. `item` shows one item of the finished rehearsal.',
        isReadOnly: true,
        run: ({ item }) => this.#read(item),
      }),
      tool('stop_rehearsal', noInput, {
        does: 'Ends the rehearsal, for example when the item that matters has its result. Returns what read_rehearsal returns then: items that were not played are "not seen".',
        run: async () => {
          await this.stop();
          return this.#read(undefined);
        },
      }),
    ];
  }

  async stop(): Promise<void> {
    // A call that has waited too may have begun the next one.
    while (this.#current && !this.#current.isOver) {
      this.#current.ending.abort();
      await this.#current.ended.catch(() => {});
    }
  }

  async #start({ script, port = 0, ...options }: z.output<typeof newRehearsal>): Promise<unknown> {
    while (this.#current && !this.#current.isOver) await this.stop();
    const captured = new Captured(this.#clock);
    const ending = new AbortController();
    const given = Object.entries({ ...options, port, report: 'json' });
    const args = [script, ...given.flatMap(([name, value]) => [`--${name}`, String(value)])];
    const command = certifyCommand(captured.terminal, ending.signal);
    const ended = captured.run(command, args);
    const rehearsal: Rehearsal = { captured, ended, ending, isOver: false };
    this.#current = rehearsal;
    const over = () => {
      rehearsal.isOver = true;
    };
    ended.then(over, over);
    await Promise.race([captured.wrote('HUB_CLIENT_ID='), ended]);
    return { notes: captured.notes };
  }

  async #read(item: string | undefined): Promise<unknown> {
    if (!this.#current) throw new TypeError('no rehearsal was started; use start_rehearsal first');
    const { captured, ended, isOver } = this.#current;
    if (!isOver) return { isOver, notes: captured.notes };
    await ended;
    const report = JSON.parse(captured.out) as Items;
    if (item === undefined) return { isOver, ...report };
    const found = report.items.find(({ id }) => id === item);
    if (found) return found;
    throw new TypeError(
      `item: the script has no item '${item}'; its items are ${report.items.map(({ id }) => id).join(', ')}`,
    );
  }
}
