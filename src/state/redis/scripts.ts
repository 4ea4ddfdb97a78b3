import { createHash } from 'node:crypto';
import { MAX_COUNTED_ATTEMPTS, RENEW_BELOW } from '../port.js';
import { EXTRA_KEY_LIFETIME_MS, HANDLED, LEASE, MARKS, NOW, OWN, QUOTA } from './lua.js';

export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** Version of the values; a value of another version counts as absent. */
const FORMAT = '1';

/**
 * `value()` is the value that has not expired, or false. An end that is further away than the value's
 * lifetime is moved there. ARGV[1]: key without prefix.
 */
const VALUE = `
local function value()
  if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return false end
  local entry = redis.call('HMGET', KEYS[1], 'format', 'key', 'until', 'value', 'forMs')
  local ends = tonumber(entry[3]) or 0
  if entry[1] ~= '${FORMAT}' or entry[2] ~= ARGV[1] or ends <= now then return false end
  if entry[5] and ends > after(entry[5]) then redis.call('HSET', KEYS[1], 'until', text(after(entry[5]))) end
  return entry[4]
end
`;

/** One script per method of the state. Each has one key, or two in the same slot, so that it runs on a cluster. */
export const SCRIPTS = {
  /** ARGV: key without prefix. */
  get: script(`${NOW}${VALUE}return value()`),
  /** ARGV: key without prefix, value, forMs; and, to compare, the expected value. Removing is a lifetime of 0. */
  set: script(`${NOW}${OWN}${VALUE}
if ARGV[4] and value() ~= ARGV[4] then return 0 end
own('hash')
if tonumber(ARGV[3]) <= 0 then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'format', '${FORMAT}', 'key', ARGV[1], 'value', ARGV[2], 'until', text(after(ARGV[3])), 'forMs', ARGV[3])
redis.call('PEXPIRE', KEYS[1], text(tonumber(ARGV[3]) + ${EXTRA_KEY_LIFETIME_MS}))
return 1
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
  /** ARGV: shutMs, freeInMs, id. Without an id no slot changes. */
  settle: script(`${NOW}${OWN}${QUOTA}
own('zset')
if tonumber(ARGV[1]) > 0 then
  bound(ARGV[1])
  local ends = text(after(ARGV[1]))
  if tonumber(ends) > tonumber(redis.call('ZSCORE', KEYS[1], 'shut') or 0) then
    redis.call('ZADD', KEYS[1], ends, 'shut', ends, 'shut.' .. ARGV[1])
    keep(ARGV[1])
  end
end
if not ARGV[3] then return 1 end
local slot = 'slot:' .. ARGV[3]
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if name == slot or string.sub(name, 1, #slot + 1) == slot .. '.' then redis.call('ZREM', KEYS[1], name) end
end
if tonumber(ARGV[2]) <= 0 then return 1 end
redis.call('ZADD', KEYS[1], text(after(ARGV[2])), slot .. '.' .. ARGV[2])
keep(ARGV[2])
return 1
`),
  /** ARGV: holder, leaseMs; 0 releases, and keeps the fence. */
  lease: script(`${NOW}${OWN}${LEASE}
local fence, leftMs = acquire(KEYS[1], ARGV[1], ARGV[2])
if fence then return {1, fence} end
return {0, text(leftMs)}
`),
  /**
   * ARGV: handledMs, attemptedMs, below, one digit per id (1: its attempt is
   * counted if its mark is below), ids. Returns the marks before the count.
   */
  recall: script(`${NOW}${OWN}${MARKS}
own('zset')
bound()
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
  /** ARGV: forMs, attempts to add, or 'handled', ids. */
  mark: script(`${NOW}${OWN}${MARKS}
own('zset')
bound()
for index = 3, #ARGV do
  if ARGV[2] == 'handled' then write(ARGV[index], ${HANDLED}, ARGV[1])
  else
    local mark = read(ARGV[index])
    local attempts = math.min(${MAX_COUNTED_ATTEMPTS}, math.max(0, mark + tonumber(ARGV[2])))
    if mark < ${HANDLED} then write(ARGV[index], attempts, attempts > 0 and ARGV[1] or 0) end
  end
end
sweep(ARGV[1])
return 1
`),
} as const satisfies Record<string, Script>;

function script(text: string): Script {
  return Object.freeze({ text, sha1: createHash('sha1').update(text).digest('hex') });
}
