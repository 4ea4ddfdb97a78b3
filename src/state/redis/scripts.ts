import { createHash } from 'node:crypto';
import { MARK_BASE, RENEW_BELOW } from '../marks.js';
import { HANDLED, MAX_COUNTED_ATTEMPTS } from '../port.js';

/** A script for Redis, and the name under which Redis keeps it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** Instants are whole milliseconds of Redis's own clock, rounded so that nothing frees too early. */
const NOW = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function after(ms)
  return tonumber(time[1]) * 1000 + math.ceil(tonumber(time[2]) / 1000) + tonumber(ms)
end
local function text(number)
  return string.format('%.0f', number)
end
`;

/** Keys expire this much after all that is in them: what counts is the time that every entry carries. */
const LINGER_MS = 60_000;

/** Fences are kept for ten years after the last lease: a smaller one would let a suspended process write again. */
const FENCE_MS = 10 * 365 * 86_400_000;

/** A key of another type, or without expiry, was not written by us: it is deleted. */
const OWN = `
local function ownKey(key, kind)
  local found = redis.call('TYPE', key).ok
  local isOurs = found == kind and redis.call('PTTL', key) >= 0
  if found ~= 'none' and not isOurs then redis.call('DEL', key) end
end
local function own(kind)
  ownKey(KEYS[1], kind)
end
local function keep(ms)
  local keepMs = tonumber(ms) + ${LINGER_MS}
  if redis.call('PTTL', KEYS[1]) < keepMs then redis.call('PEXPIRE', KEYS[1], text(keepMs)) end
end
`;

/**
 * A lease is a hash: holder, until when, and the fence, which grows with every
 * new holder. Redis's time keeps it growing where the entry was lost.
 */
const LEASE = `
local function acquire(key, holder, leaseMs)
  ownKey(key, 'hash')
  local entry = redis.call('HMGET', key, 'holder', 'until', 'fence')
  local leftMs = (tonumber(entry[2]) or 0) - now
  if entry[1] ~= holder and leftMs > 0 then return nil, leftMs end
  local fence = tonumber(entry[3]) or 0
  if entry[1] ~= holder then fence = math.max(fence + 1, now) end
  redis.call('HSET', key, 'holder', holder, 'until', text(after(leaseMs)), 'fence', text(fence))
  redis.call('PEXPIRE', key, '${FENCE_MS}')
  return text(fence), 0
end
`;

/**
 * Marks are members of a sorted set; a score is the instant of expiry and the
 * mark in one number, as in `Marks`.
 */
const MARKS = `
local function write(id, mark, ms)
  if tonumber(ms) <= 0 then return redis.call('ZREM', KEYS[1], id) end
  redis.call('ZADD', KEYS[1], text(after(ms) * ${MARK_BASE} + mark), id)
end
local function read(id)
  local score = tonumber(redis.call('ZSCORE', KEYS[1], id) or 0)
  local expiry = math.floor(score / ${MARK_BASE})
  if expiry <= now then return 0, 0 end
  return score - expiry * ${MARK_BASE}, expiry - now
end
local function sweep(ms)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now * ${MARK_BASE} + ${MARK_BASE} - 1))
  keep(ms)
end
`;

/** Version of the entries; those of another are none. */
const FORMAT = '1';

/** Every script has one key, or two in the same slot, so that any of them runs on a cluster. */
export const SCRIPTS = {
  /** ARGV: the key as the caller knows it. */
  get: script(`${NOW}
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return false end
local entry = redis.call('HMGET', KEYS[1], 'format', 'key', 'until', 'value')
if entry[1] ~= '${FORMAT}' or entry[2] ~= ARGV[1] then return false end
if (tonumber(entry[3]) or 0) <= now then return false end
return entry[4]
`),
  /** ARGV: key, value, for how long. */
  set: script(`${NOW}${OWN}
own('hash')
if tonumber(ARGV[3]) <= 0 then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'format', '${FORMAT}', 'key', ARGV[1], 'value', ARGV[2], 'until', text(after(ARGV[3])))
redis.call('PEXPIRE', KEYS[1], text(tonumber(ARGV[3]) + ${LINGER_MS}))
return 1
`),
  /** ARGV: the value it must have, if any. */
  delete: script(`
if ARGV[1] then
  if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return 0 end
  if redis.call('HGET', KEYS[1], 'value') ~= ARGV[1] then return 0 end
end
return redis.call('DEL', KEYS[1])
`),
  /**
   * Slots are members of a sorted set by the instant they free at, and so is
   * the closure. A client that got no answer asks again with the same id, which
   * then has its slot. With a second key its lease is acquired or renewed first.
   * ARGV: limit, holdMs, id, and with a lease: holder, leaseMs.
   */
  reserve: script(`${NOW}${OWN}${LEASE}
local fence
if KEYS[2] then
  local leftMs
  fence, leftMs = acquire(KEYS[2], ARGV[4], ARGV[5])
  if not fence then return {0, text(leftMs), 'leased'} end
end
own('zset')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
redis.call('ZREM', KEYS[1], 'slot:' .. ARGV[3])
local shut = redis.call('ZSCORE', KEYS[1], 'shut')
if shut then return {0, text(tonumber(shut) - now), 'shut', fence} end
local taken = redis.call('ZCARD', KEYS[1])
if taken >= tonumber(ARGV[1]) then
  local soonest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return {0, text(tonumber(soonest[2]) - now), 'quota', fence}
end
redis.call('ZADD', KEYS[1], text(after(ARGV[2])), 'slot:' .. ARGV[3])
keep(ARGV[2])
return {1, text(tonumber(ARGV[1]) - taken - 1), ARGV[3], fence}
`),
  /** ARGV: id, freeInMs. */
  settle: script(`${NOW}${OWN}
own('zset')
if tonumber(ARGV[2]) <= 0 then return redis.call('ZREM', KEYS[1], 'slot:' .. ARGV[1]) end
redis.call('ZADD', KEYS[1], text(after(ARGV[2])), 'slot:' .. ARGV[1])
keep(ARGV[2])
return 1
`),
  /** ARGV: for how long. */
  shut: script(`${NOW}${OWN}
own('zset')
local shut = tonumber(redis.call('ZSCORE', KEYS[1], 'shut') or 0)
if tonumber(ARGV[1]) <= 0 or after(ARGV[1]) <= shut then return 0 end
redis.call('ZADD', KEYS[1], text(after(ARGV[1])), 'shut')
keep(ARGV[1])
return 1
`),
  /** ARGV: holder, leaseMs. */
  lease: script(`${NOW}${OWN}${LEASE}
local fence, leftMs = acquire(KEYS[1], ARGV[1], ARGV[2])
if fence then return {1, fence} end
return {0, text(leftMs)}
`),
  /** The fence stays. ARGV: holder. */
  release: script(`
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return 0 end
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
return redis.call('HSET', KEYS[1], 'holder', '', 'until', '0')
`),
  /** ARGV: for how long, ids. */
  remember: script(`${NOW}${OWN}${MARKS}
own('zset')
for index = 2, #ARGV do write(ARGV[index], ${HANDLED}, ARGV[1]) end
sweep(ARGV[1])
return 1
`),
  /** ARGV: how long handled ids last, how long attempted ones, ids. Answers with the marks. */
  recall: script(`${NOW}${OWN}${MARKS}
own('zset')
local marks = {}
for index = 3, #ARGV do
  local mark, leftMs = read(ARGV[index])
  local ms = mark == ${HANDLED} and ARGV[1] or ARGV[2]
  if mark > 0 and leftMs < tonumber(ms) * ${RENEW_BELOW} then
    write(ARGV[index], mark, ms)
    keep(ms)
  end
  marks[index - 2] = mark
end
return marks
`),
  /** ARGV: what to add, for how long, ids. Answers with the new marks. */
  count: script(`${NOW}${OWN}${MARKS}
own('zset')
local marks = {}
for index = 3, #ARGV do
  local mark = read(ARGV[index])
  if mark < ${HANDLED} then
    mark = math.min(${MAX_COUNTED_ATTEMPTS}, math.max(0, mark + tonumber(ARGV[1])))
    write(ARGV[index], mark, mark > 0 and ARGV[2] or 0)
  end
  marks[index - 2] = mark
end
sweep(ARGV[2])
return marks
`),
} as const satisfies Record<string, Script>;

function script(text: string): Script {
  return Object.freeze({ text, sha1: createHash('sha1').update(text).digest('hex') });
}
