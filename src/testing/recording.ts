import { ConfigurationError } from '../errors/index.js';
import { COMMAND_EVENTS } from '../orders/already-there.js';
import type { Json } from './fixtures.js';

/** A document, and since when the hub has sent it. */
export interface RecordedDocument {
  /** In ms after the start of the recording. */
  readonly atMs: number;
  /** As the hub sent it, with pseudonyms. */
  readonly document: Json;
}

/** An order of a recording. */
export interface RecordedOrder {
  /** The id of the order. */
  readonly orderId: string;
  /** Each version of its document, oldest first. Empty: the application did not fetch the order. */
  readonly documents: readonly RecordedDocument[];
}

/** An event of a recording. */
export interface RecordedEvent {
  /** When the hub emitted it, in ms after the start of the recording. */
  readonly atMs: number;
  /** As the hub sent it, with pseudonyms; at least `eventId`, `eventType`, `orderId` and `createdAt`. */
  readonly event: Json;
}

/** A command of a recording, and what the hub made of it. */
export interface RecordedCommand {
  /** The id of the order. */
  readonly orderId: string;
  /** Such as `'confirm'`. */
  readonly command: string;
  /** The order's state before the command: its stage, and who had asked to cancel it, such as `'CONFIRMED platform'`. */
  readonly state: string;
  /** The status of the response. */
  readonly status: number;
  /** The events that followed from it; `atMs` counts from the command. */
  readonly events: readonly RecordedEvent[];
}

/**
 * What `opendelivery record` has written: an evening at a real hub without personal data, for
 * `createMockHub({ replay })`.
 */
export interface Recording {
  /** Always `'opendelivery-recording'`. */
  readonly format: 'opendelivery-recording';
  /** The version of the format; this package reads version 1. */
  readonly version: 1;
  /** When the recording began, as ISO 8601. */
  readonly startedAt: string;
  /** How long it took, in ms. */
  readonly durationMs: number;
  /** Each version of the merchant document, oldest first. Empty: the application did not fetch it. */
  readonly merchants: readonly RecordedDocument[];
  /** All orders. */
  readonly orders: readonly RecordedOrder[];
  /** The events that followed from no command of the application, oldest first. */
  readonly events: readonly RecordedEvent[];
  /** The commands of the application, oldest first. */
  readonly commands: readonly RecordedCommand[];
}

type Mistake = (path: string, expected: string) => never;
type Shape = (path: string, value: unknown, mistake: Mistake) => void;

const nonEmptyString: Shape = (path, value, mistake) => {
  if (typeof value !== 'string' || value === '') mistake(path, 'a non-empty string');
};
const count: Shape = (path, value, mistake) => {
  if (!Number.isFinite(value) || (value as number) < 0) mistake(path, 'a number of at least 0');
};
const status: Shape = (path, value, mistake) => {
  if (!Number.isInteger(value) || (value as number) < 200 || (value as number) > 599) {
    mistake(path, 'a status from 200 to 599');
  }
};
const command: Shape = (path, value, mistake) => {
  if (!COMMAND_EVENTS.has(value as string)) mistake(path, `one of ${[...COMMAND_EVENTS.keys()].join(', ')}`);
};
const json: Shape = (path, value, mistake) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) mistake(path, 'an object');
};
const objectOf =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (path, value, mistake) => {
    json(path, value, mistake);
    for (const [name, shape] of Object.entries(fields)) {
      shape(path === '' ? name : `${path}.${name}`, (value as Json)[name], mistake);
    }
  };
const arrayOf =
  (shape: Shape): Shape =>
  (path, value, mistake) => {
    if (!Array.isArray(value)) return mistake(path, 'an array');
    for (const [index, each] of value.entries()) shape(`${path}[${index}]`, each, mistake);
  };

const documents = arrayOf(objectOf({ atMs: count, document: json }));
const events = arrayOf(
  objectOf({
    atMs: count,
    event: objectOf({
      eventId: nonEmptyString,
      eventType: nonEmptyString,
      orderId: nonEmptyString,
      createdAt: nonEmptyString,
    }),
  }),
);
const recording = objectOf({
  startedAt: nonEmptyString,
  durationMs: count,
  merchants: documents,
  orders: arrayOf(objectOf({ orderId: nonEmptyString, documents })),
  events,
  commands: arrayOf(objectOf({ orderId: nonEmptyString, command, state: nonEmptyString, status, events })),
});

/** @throws {ConfigurationError} it is not a recording of a version that this package reads. */
export function checkRecording(name: string, value: unknown): Recording {
  const { format, version } = Object(value) as Json;
  if (format !== 'opendelivery-recording') {
    throw new ConfigurationError(name, 'must be a recording that `opendelivery record` has written');
  }
  if (version !== 1) {
    const remedy = 'record it again, or update this package';
    throw new ConfigurationError(name, `has a version of the format that is not 1; ${remedy}`);
  }
  recording('', value, (path, expected) => {
    throw new ConfigurationError(name, `is damaged: ${path} must be ${expected}; record it again`);
  });
  return value as Recording;
}
