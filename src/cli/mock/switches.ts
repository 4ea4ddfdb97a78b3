import { type Command, Option } from 'commander';
import { type MockHubSwitches, SWITCHES, type Switch } from '../../testing/options.js';
import { checked } from '../parse-option.js';

type Name = keyof MockHubSwitches;

const NAMES = Object.keys(SWITCHES) as Name[];

/** In the help. The values and the default are added to it. */
const DESCRIPTIONS: Readonly<Record<Name, string>> = {
  emptyPoll: 'response to a poll without events: status 204, or 200 with []',
  badKeyStatus: 'status for an invalid API key',
  limitHeaders: 'send no X-RateLimit headers',
  windows: 'count requests over the last minute or hour, or from the start of each',
  retryAfter: 'form of Retry-After',
  unknownEventStatus: 'status for the acknowledgment of an unknown event',
  repeatedCommandStatus: 'status for a command that the order has already completed',
  cancellation: 'what the hub does after requestCancellation',
  strictBodies: 'refuse commands whose body is not as in the standard',
  allowed: 'the host has the application in its allow list (for profiles that have one)',
  order: 'sequence of the events in a poll',
  maxEventsPerPoll: 'largest number of events in one poll',
  tokenLifetimeMs: 'how long a token is valid, in ms',
  expiresIn: 'form of expires_in in a token response',
  unansweredAfterMs:
    'how long a store may take to answer an order or a cancellation request, in ms; Infinity: no limit',
  latencyMs: 'how long each response takes, in ms',
};

/** Adds an option for each switch of the mock hub, such as `--empty-poll <value>` for `emptyPoll`. */
export function addSwitches(command: Command): Command {
  for (const name of NAMES) command.addOption(optionOf(name, SWITCHES[name] as Switch<unknown>));
  return command;
}

export function switchesOf(options: Readonly<Record<string, unknown>>): Partial<MockHubSwitches> {
  return Object.fromEntries(NAMES.map((name) => [name, options[name]]));
}

function optionOf(name: Name, { default: defaultValue, check, values }: Switch<unknown>): Option {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const description = DESCRIPTIONS[name];
  if (typeof defaultValue === 'boolean') {
    if (defaultValue) return new Option(`--no-${flag}`, description);
    return new Option(`--${flag}`, description).default(false);
  }
  const option = new Option(`--${flag} <${values ? 'value' : 'number'}>`, description).default(defaultValue);
  if (values) {
    option.choices(values.map(String));
    const parse = option.parseArg as (text: string, previous: unknown) => unknown;
    return option.argParser((text) => values.find((value) => String(value) === parse(text, undefined)));
  }
  return option.argParser((text) => checked('It', check, text.trim() === '' ? Number.NaN : Number(text)));
}
