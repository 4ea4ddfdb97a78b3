import * as z from 'zod';
import { ConfigurationError } from '../errors/index.js';
import { COMMAND_EVENTS } from '../orders/already-there.js';
import type { Json } from './fixtures.js';
import { parseInput } from './parse-input.js';

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

const text = z.string().min(1);
const atMs = z.number().min(0);
const json = z.looseObject({});
const documents = z.array(z.object({ atMs, document: json }));
const events = z.array(
  z.object({
    atMs,
    event: z.looseObject({ eventId: text, eventType: text, orderId: text, createdAt: text }),
  }),
);
const recording = z.object({
  startedAt: text,
  durationMs: atMs,
  merchants: documents,
  orders: z.array(z.object({ orderId: text, documents })),
  events,
  commands: z.array(
    z.object({
      orderId: text,
      command: z.enum([...COMMAND_EVENTS.keys()]),
      state: text,
      status: z.int().min(200).max(599),
      events,
    }),
  ),
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
  parseInput(
    recording,
    value,
    (mistakes) => new ConfigurationError(name, `is damaged: ${mistakes}. Record it again`),
  );
  return value as Recording;
}
