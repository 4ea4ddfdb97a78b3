import { createHash } from 'node:crypto';
import { HANDLED, MAX_COUNTED_ATTEMPTS } from '../port.js';
import { RENEW_BELOW } from '../score.js';
import { EXTRA_KEY_LIFETIME_MS, LEASE, MARKS, NOW, OWN, QUOTA } from './lua.js';

/** A Lua script, and the hash by which Redis finds it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** Version of the values; a value of another version counts as absent. */
const FORMAT = '1';

/** One script per method of the state. Each has one key, or two in the same slot, so that it runs on a cluster. */
export const SCRIPTS = {
  /** ARGV: key without prefix. */
  get: script(`${NOW}
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return false end
local entry = redis.call('HMGET', KEYS[1], 'format', 'key', 'until', 'value')
if entry[1] ~= '${FORMAT}' or entry[2] ~= ARGV[1] then return false end
if (tonumber(entry[3]) or 0) <= now then return false end
return entry[4]
`),
  /** ARGV: key without prefix, value, forMs. */
  set: script(`${NOW}${OWN}
own('hash')
if tonumber(ARGV[3]) <= 0 then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'format', '${FORMAT}', 'key', ARGV[1], 'value', ARGV[2], 'until', text(after(ARGV[3])))
redis.call('PEXPIRE', KEYS[1], text(tonumber(ARGV[3]) + ${EXTRA_KEY_LIFETIME_MS}))
return 1
`),
  /** ARGV: expected value, or nothing. */
  delete: script(`
if ARGV[1] then
  if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return 0 end
  if redis.call('HGET', KEYS[1], 'value') ~= ARGV[1] then return 0 end
end
return redis.call('DEL', KEYS[1])
`),
  /**
   * A client that repeats the command after a lost reply sends the same id, and
   * gets the same slot. With a second key, that lease is acquired or renewed first.
   * ARGV: limit, holdMs, id; with a lease also holder, leaseMs.
   */
  reserve: script(`${NOW}${OWN}${LEASE}${QUOTA}
local fence
if KEYS[2] then
  local leftMs
  fence, leftMs = acquire(KEYS[2], ARGV[4], ARGV[5])
  if not fence then return {0, text(leftMs), 'leased'} end
end
own('zset')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
redis.call('ZREM', KEYS[1], 'slot:' .. ARGV[3])
bound(ARGV[2])
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
  /** ARGV: forMs. */
  shut: script(`${NOW}${OWN}${QUOTA}
own('zset')
bound(ARGV[1])
local shut = tonumber(redis.call('ZSCORE', KEYS[1], 'shut') or 0)
if tonumber(ARGV[1]) <= 0 or after(ARGV[1]) <= shut then return 0 end
local ends = text(after(ARGV[1]))
redis.call('ZADD', KEYS[1], ends, 'shut', ends, 'shut.' .. ARGV[1])
keep(ARGV[1])
return 1
`),
  /** ARGV: holder, leaseMs. */
  lease: script(`${NOW}${OWN}${LEASE}
local fence, leftMs = acquire(KEYS[1], ARGV[1], ARGV[2])
if fence then return {1, fence} end
return {0, text(leftMs)}
`),
  /** Keeps the fence. ARGV: holder. */
  release: script(`
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return 0 end
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
return redis.call('HSET', KEYS[1], 'holder', '', 'until', '0')
`),
  /** ARGV: forMs, ids. */
  remember: script(`${NOW}${OWN}${MARKS}
own('zset')
for index = 2, #ARGV do write(ARGV[index], ${HANDLED}, ARGV[1]) end
sweep(ARGV[1])
return 1
`),
  /**
   * ARGV: handledMs, attemptedMs, below, one digit per id (1: its attempt is
   * counted if its mark is below), ids. Returns the marks before the count.
   */
  recall: script(`${NOW}${OWN}${MARKS}
own('zset')
local below = tonumber(ARGV[3])
local longestMs = 0
local marks = {}
for index = 5, #ARGV do
  local mark, leftMs = read(ARGV[index])
  local ms = tonumber(mark == ${HANDLED} and ARGV[1] or ARGV[2])
  local counts = mark < below and string.sub(ARGV[4], index - 4, index - 4) == '1'
  if counts or (mark > 0 and leftMs < ms * ${RENEW_BELOW}) then
    write(ARGV[index], counts and math.min(${MAX_COUNTED_ATTEMPTS}, mark + 1) or mark, ms)
    longestMs = math.max(longestMs, ms)
  end
  marks[index - 4] = mark
end
if longestMs > 0 then sweep(longestMs) end
return marks
`),
  /** ARGV: by, forMs, ids. Returns the new marks. */
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
