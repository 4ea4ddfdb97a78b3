import { shardOf } from '../../../src/fleet/shards.js';
import { overlapsOf } from '../../lease/runs.js';
import { limitBreaches } from '../../support.js';
import { type Crew, type Poll, SHARDS } from './crew.js';
import type { ShardAssigned } from './member-journal.js';

/** What must not happen, whatever is done to the processes and to Redis. */
export function breachesOf(crew: Crew): string[] {
  return [
    ...crew.breaches,
    ...stalePolls(crew),
    ...brokenLimits(crew),
    ...lostEvents(crew),
    ...acknowledgedTooEarly(crew),
    ...runTwice(crew),
  ];
}

/** A poll of a shard's store by a process other than the one that began to poll the shard last. */
export function stalePolls(crew: Crew): string[] {
  const assignments = groupBy(
    crew.journals.flatMap((journal) => journal.assignments()),
    ({ shard }) => shard,
  );
  const before = (one: ShardAssigned, other: ShardAssigned) => (one.at < other.at ? -1 : 1);
  for (const each of assignments.values()) each.sort(before);
  const isStale = ({ at, storeId, pid }: Poll) => {
    const last = assignments.get(shardOf(storeId, SHARDS))?.findLast((assigned) => assigned.at <= at);
    return last?.pid !== pid;
  };
  return crew.polls
    .filter(isStale)
    .map(({ storeId, pid }) => `process ${pid} polled ${storeId}, of another process`);
}

function brokenLimits(crew: Crew): string[] {
  const breaches = crew.mock.violations().map(({ rule, message }) => `${rule}: ${message}`);
  for (const [clientId, requests] of groupBy(crew.requests, (request) => request.clientId))
    breaches.push(...limitBreaches(requests).map((breach) => `${breach}, of ${clientId}`));
  return breaches;
}

function lostEvents(crew: Crew): string[] {
  const runs = crew.journals.flatMap((journal) => journal.runs);
  const ended = new Set(runs.filter(({ how }) => how === 'end').map(({ eventId }) => eventId));
  return [
    ...crew.emitted
      .filter(({ eventId }) => !ended.has(eventId))
      .map(({ eventId }) => `${eventId} was never handled`),
    ...crew.pending.map(({ eventId }) => `${eventId} is left at the hub`),
  ];
}

function acknowledgedTooEarly(crew: Crew): string[] {
  const endedAt = new Map<string, bigint>();
  for (const { eventId, how, to } of crew.journals.flatMap((journal) => journal.runs)) {
    const earliest = endedAt.get(eventId);
    if (how === 'end' && to !== undefined && (earliest === undefined || to < earliest))
      endedAt.set(eventId, to);
  }
  return [...crew.acknowledgedAt]
    .filter(([eventId, at]) => (endedAt.get(eventId) ?? at + 1n) > at)
    .map(([eventId]) => `${eventId} was acknowledged before it was handled`);
}

function runTwice(crew: Crew): string[] {
  return overlapsOf(crew.journals.flatMap((journal) => journal.runs)).map(
    ([one, other]) =>
      `${one.eventId} ran in ${one.pid} (${one.how}) and in ${other.pid} (${other.how}) at once`,
  );
}

/** The times between two polls of one store, in ms, in ascending order, of those that ended after `from`. */
export function gapsMs(crew: Crew, from = 0n): number[] {
  const gaps: number[] = [];
  for (const polls of groupBy(crew.polls, ({ storeId }) => storeId).values()) {
    polls.slice(1).forEach(({ at }, index) => {
      if (at > from) gaps.push(Number(at - (polls[index] as Poll).at) / 1e6);
    });
  }
  return gaps.sort((one, other) => one - other);
}

export function sizeOf(crew: Crew) {
  const errors: Record<string, number> = {};
  for (const text of crew.journals.flatMap((journal) => journal.errors)) {
    const kind = text.slice(1, 70).replace(/\d+ shards/, 'n shards');
    errors[kind] = (errors[kind] ?? 0) + 1;
  }
  return {
    polls: crew.polls.length,
    events: crew.emitted.length,
    runs: crew.journals.reduce((sum, { runs }) => sum + runs.length, 0),
    assignments: crew.journals.reduce((sum, journal) => sum + journal.assignments().length, 0),
    longestGapS: Math.round((gapsMs(crew).at(-1) ?? 0) / 100) / 10,
    errors,
  };
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
