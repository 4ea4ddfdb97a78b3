import { HubError } from '../errors/index.js';
import type { AcknowledgeableEvent, Batch, BatchResult } from './acknowledgments.js';
import { bisect, probe } from './bisect.js';
import { isServerError, type RefusalBackoff } from './refusal-backoff.js';

interface Division {
  readonly batch: Batch;
  /** Of the whole batch, or of an earlier one if these are suspects. */
  readonly refusal: HubError;
  /** Suspects are not sent together before one of them is accepted. */
  readonly areSuspects: boolean;
  readonly refusals: RefusalBackoff;
  /** Resolves to the hub's refusal, if an item may have caused it. */
  readonly post: (part: Batch) => Promise<HubError | undefined>;
}

/**
 * Finds out which items of a batch the hub refuses. Each is remembered, and what was
 * neither accepted nor refused alone is suspected, even if a request fails: so the
 * next call does not begin anew, and new events are not sent together with these.
 */
export async function divide(division: Division): Promise<BatchResult> {
  const { batch, refusal, areSuspects, refusals, post } = division;
  const [first] = batch;
  const earlier = first && refusals.find(first.eventId);
  // Another batch may have shown since that the hub refuses everything.
  if (areSuspects && earlier?.isDue === false) {
    return { acknowledged: [], rejected: batch.map(({ eventId }) => ({ eventId, error: refusal })) };
  }

  const acknowledged: AcknowledgeableEvent[] = [];
  const errors = new Map<AcknowledgeableEvent, HubError>();
  const isAccepted = (part: Batch, error: HubError | undefined): boolean => {
    const [only] = part;
    if (!error) acknowledged.push(...part);
    else if (part.length === 1 && only) {
      refusals.refused(only.eventId, error);
      errors.set(only, error);
    }
    return !error;
  };
  const send = async (part: Batch) => isAccepted(part, await post(part));

  let failure: unknown;
  try {
    if (areSuspects) await probe(batch, send);
    else if (batch.length === 1) isAccepted(batch, refusal);
    else if (!refusals.isHubBackingOff) await bisect(batch, send);
  } catch (error) {
    failure = error;
  }
  const refused = errors.size;
  const accepted = new Set(acknowledged);
  const rest = batch.filter((event) => !accepted.has(event) && !errors.has(event));
  // A hub that fails at everything says nothing about an item, unless it has failed at that alone before.
  const isIll =
    acknowledged.length === 0 &&
    isServerError(refusal) &&
    earlier?.isSuspect !== false &&
    !earlier?.isHubWell;
  for (const { eventId } of isIll ? batch : rest) refusals.suspected(eventId, refusal);
  for (const { eventId } of acknowledged) refusals.accepted(eventId);
  if (acknowledged.length === 0) refusals.acceptedNone(refused, earlier?.isSuspect === false, isIll);
  for (const event of rest) errors.set(event, failure instanceof HubError ? failure : refusal);
  const rejected = [...errors].map(([{ eventId }, error]) => ({ eventId, error }));
  return { acknowledged, rejected, failure };
}
