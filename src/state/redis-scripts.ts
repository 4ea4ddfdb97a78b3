import { createHash } from 'node:crypto';

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

/** What is of another kind under our key, or never expires, is nothing of ours. */
const OWN = `
local function own(kind)
  local found = redis.call('TYPE', KEYS[1]).ok
  local isOurs = found == kind and redis.call('PTTL', KEYS[1]) >= 0
  if found ~= 'none' and not isOurs then redis.call('DEL', KEYS[1]) end
end
local function keep(ms)
  local keepMs = tonumber(ms) + ${LINGER_MS}
  if redis.call('PTTL', KEYS[1]) < keepMs then redis.call('PEXPIRE', KEYS[1], text(keepMs)) end
end
`;

/** Version of the entries; those of another are none. */
const FORMAT = '1';

/** Every script has one key, so that any of them runs on a cluster. */
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
   * then has its slot. ARGV: limit, holdMs, id.
   */
  reserve: script(`${NOW}${OWN}
own('zset')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
redis.call('ZREM', KEYS[1], 'slot:' .. ARGV[3])
local shut = redis.call('ZSCORE', KEYS[1], 'shut')
if shut then return {0, text(tonumber(shut) - now), 'shut'} end
local taken = redis.call('ZCARD', KEYS[1])
if taken >= tonumber(ARGV[1]) then
  local soonest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return {0, text(tonumber(soonest[2]) - now), 'quota'}
end
redis.call('ZADD', KEYS[1], text(after(ARGV[2])), 'slot:' .. ARGV[3])
keep(ARGV[2])
return {1, text(tonumber(ARGV[1]) - taken - 1), ARGV[3]}
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
  /** Ids are members of a sorted set by the instant they are forgotten at. ARGV: for how long, ids. */
  remember: script(`${NOW}${OWN}
own('zset')
local forgotten = text(after(ARGV[1]))
for index = 2, #ARGV do redis.call('ZADD', KEYS[1], forgotten, ARGV[index]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
keep(ARGV[1])
return 1
`),
  /** ARGV: ids. Answers with the positions of those that are known, counted from 1. */
  recall: script(`${NOW}
local known = {}
if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then return known end
for index = 1, #ARGV do
  local forgotten = redis.call('ZSCORE', KEYS[1], ARGV[index])
  if forgotten and tonumber(forgotten) > now then known[#known + 1] = index end
end
return known
`),
} as const satisfies Record<string, Script>;

function script(text: string): Script {
  return Object.freeze({ text, sha1: createHash('sha1').update(text).digest('hex') });
}
