import { tracingChannel } from 'node:diagnostics_channel';
import type { Trace, Traces } from 'opendelivery-client';
import { onTestFinished } from 'vitest';

export const CHANNELS = Object.keys({
  'opendelivery:request': true,
  'opendelivery:poll': true,
  'opendelivery:listener': true,
  'opendelivery:acknowledge': true,
  'opendelivery:token': true,
} satisfies Record<keyof Traces, true>) as (keyof Traces)[];

/** The messages of one context, in their order. */
export interface Recorded<Context = Trace> {
  readonly channel: keyof Traces;
  readonly context: Context;
  readonly messages: string[];
}

/** Records the messages of all channels until the test ends. */
export class Recorder {
  readonly all: Recorded[] = [];
  readonly #byContext = new Map<object, Recorded>();

  constructor(channels = CHANNELS) {
    for (const channel of channels) {
      const note = (message: string) => (context: object) => this.#note(channel, message, context as Trace);
      const subscribers = {
        start: note('start'),
        end: note('end'),
        asyncStart: note('asyncStart'),
        asyncEnd: note('asyncEnd'),
        error: note('error'),
      };
      tracingChannel(channel).subscribe(subscribers);
      onTestFinished(() => void tracingChannel(channel).unsubscribe(subscribers));
    }
  }

  of<Name extends keyof Traces>(channel: Name): Recorded<Traces[Name]>[] {
    return this.all.filter((each) => each.channel === channel) as Recorded<Traces[Name]>[];
  }

  #note(channel: keyof Traces, message: string, context: Trace): void {
    const known = this.#byContext.get(context);
    if (known) return void known.messages.push(message);
    const recorded = { channel, context, messages: [message] };
    this.#byContext.set(context, recorded);
    this.all.push(recorded);
  }
}

/** The messages of an operation, in the order of Node.js. */
export const GOOD = ['start', 'end', 'asyncStart', 'asyncEnd'];
export const FAILED = ['start', 'end', 'error', 'asyncStart', 'asyncEnd'];
