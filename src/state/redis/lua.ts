import { MAX_LIFETIME_MS } from '../port.js';

/*
 * Parts of the scripts. Every function takes its times in milliseconds, as
 * strings from ARGV or as numbers.
 */

/** A score is the expiry of a mark in epoch ms, times this, plus the number of attempts, or `HANDLED`. */
const MARK_BASE = 2048;

/** What a handled id has in place of a number of attempts. */
export const HANDLED = MARK_BASE - 1;

/** Keys expire this much later than everything in them: the expiry of each entry is what counts. */
export const EXTRA_KEY_LIFETIME_MS = 60_000;

/**
 * The clock of Redis in whole milliseconds, rounded so that nothing frees too
 * early: `now`, `after(ms)`, and `text(number)` for a number of any size.
 */
export const NOW = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function after(ms)
  return tonumber(time[1]) * 1000 + math.ceil(tonumber(time[2]) / 1000) + tonumber(ms)
end
local function text(number)
  return string.format('%.0f', number)
end
`;

/**
 * A key of another type, or without expiry, was not written by us: `own(type)`
 * deletes it. `keep(ms)` extends the expiry of the key.
 */
export const OWN = `
local function ownKey(key, kind)
  local found = redis.call('TYPE', key).ok
  local isOurs = found == kind and redis.call('PTTL', key) >= 0
  if found ~= 'none' and not isOurs then redis.call('DEL', key) end
end
local function own(kind)
  ownKey(KEYS[1], kind)
end
local function keep(ms)
  local keepMs = tonumber(ms) + ${EXTRA_KEY_LIFETIME_MS}
  if redis.call('PTTL', KEYS[1]) < keepMs then redis.call('PEXPIRE', KEYS[1], text(keepMs)) end
end
`;

/*
 * The clock of Redis may be set back, or a replica with a slower one may take
 * over. No stored instant is therefore trusted beyond its own length, which is
 * stored too: an end that is later than a full length from now is moved there.
 */

/**
 * A lease is a hash of holder, until, leaseMs and fence. `acquire` returns the
 * fence, or nil and how long another holder has the lease; with 0 ms it releases. The time in ms makes
 * the fence grow if the entry was lost. Fences are kept for ten years after the
 * last lease: a smaller one would let a suspended process write again.
 */
export const LEASE = `
local function acquire(key, holder, leaseMs)
  ownKey(key, 'hash')
  local entry = redis.call('HMGET', key, 'holder', 'until', 'fence', 'leaseMs')
  local stored = tonumber(entry[2]) or 0
  local ends = math.min(stored, after(entry[4] or leaseMs))
  if entry[1] ~= holder and ends > now then
    if ends < stored then redis.call('HSET', key, 'until', text(ends)) end
    return nil, ends - now
  end
  if tonumber(leaseMs) <= 0 then
    if entry[1] == holder then redis.call('HSET', key, 'holder', '', 'until', '0') end
    return entry[3] or '0', 0
  end
  local fence = tonumber(entry[3]) or 0
  if entry[1] ~= holder then fence = math.max(fence + 1, now) end
  redis.call('HSET', key, 'holder', holder, 'until', text(after(leaseMs)), 'leaseMs', leaseMs, 'fence', text(fence))
  redis.call('PEXPIRE', key, '${MAX_LIFETIME_MS}')
  return text(fence), 0
end
`;

/**
 * Slots are members of a sorted set, with the instant at which they free as
 * score; the end of a `shut` is the member 'shut', and again that of its length.
 * Names end in a dot and the length in ms; those of 0.2.0 had none.
 * `bound(ms)` corrects the ends that are too late if one of them is more than that away.
 */
export const QUOTA = `
local function bound(ms)
  local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
  if (tonumber(last[2]) or 0) <= after(ms) then return end
  local members = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  for index = 1, #members, 2 do
    local name = members[index]
    local length = string.match(name, '%.(%d+)$')
    if length and tonumber(members[index + 1]) > after(length) then
      local ends = text(after(length))
      redis.call('ZADD', KEYS[1], ends, name)
      -- Another end is a later one, of a process of 0.2.0.
      local isLast = redis.call('ZSCORE', KEYS[1], 'shut') == members[index + 1]
      if isLast and string.sub(name, 1, 5) == 'shut.' then redis.call('ZADD', KEYS[1], ends, 'shut') end
    end
  end
end
`;

/** A member of the marks whose score is when the last one was written. In other stored texts, hex digits follow U+FFFF. */
const WRITTEN = '\uffff#written';

/**
 * Marks are members of a sorted set, with a score as `MARK_BASE` says. `read`
 * returns the mark and how long it lasts, `sweep` removes the expired ones. Since
 * a length for each would double the memory, `bound` moves all of them if the
 * clock is behind the last writing.
 */
export const MARKS = `
local function bound()
  local aheadMs = tonumber(redis.call('ZSCORE', KEYS[1], '${WRITTEN}') or 0) - now
  if aheadMs <= 0 then return end
  local members = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  for index = 1, #members, 2 do
    redis.call('ZADD', KEYS[1], text(tonumber(members[index + 1]) - aheadMs * ${MARK_BASE}), members[index])
  end
  redis.call('ZADD', KEYS[1], text(now), '${WRITTEN}')
end
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
  redis.call('ZADD', KEYS[1], text(now), '${WRITTEN}')
  keep(ms)
end
`;
