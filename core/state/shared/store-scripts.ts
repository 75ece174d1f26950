/**
 * Lua scripts of a store. All keys of a store share a hash tag, so a script can use them all:
 *
 * | Key | Type | Content |
 * |---|---|---|
 * | `S:v` | hash | value of each entry |
 * | `S:m` | hash | `[bytes, group, deadline, version, bytes of the group, own ttl, spare, lost]` of each entry |
 * | `S:a` | sorted set | entries in insertion order, spare ones first |
 * | `S:u` | sorted set | entries by last use, with `evict: 'idle'` |
 * | `S:x` | sorted set | entries by deadline |
 * | `S:g:<group>` | sorted set | entries of a group |
 * | `S:n` | hash | counters: `seq`, `bytes`, `change` |
 *
 * `lost`: an update has lost a race since the entry was written.
 *
 * A full server refuses the first write of a script, so this is always the one that adds: nothing is left half done.
 */
import { APPENDER } from './log-scripts.ts'
import { LOG_FUNCTIONS } from './log-streams.ts'
import { defineScript } from './script.ts'

/** KEYS[1] is `S:n`, ARGV[1] the bounds as JSON (`ScriptBounds`). Other arguments follow. */
const PRELUDE = `
local S = string.sub(KEYS[1], 1, -3)
local V, M, A, U, X, N = S .. ':v', S .. ':m', S .. ':a', S .. ':u', S .. ':x', S .. ':n'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local c = cjson.decode(ARGV[1])
${LOG_FUNCTIONS}
local function metaOf(k)
  local packed = redis.call('HGET', M, k)
  return packed and cmsgpack.unpack(packed) or nil
end
local function isExpired(m) return m[3] > 0 and m[3] <= now end
local function publish(kind, k, value)
  if not c.watched then return end
  local message = { redis.call('HINCRBY', N, 'change', 1), kind, k }
  if value and (kind ~= 'set' or #value <= 16384) then message[4] = value end
  redis.call('SPUBLISH', S, cjson.encode(message))
end
local function unlist(k, m)
  redis.call('HDEL', M, k)
  redis.call('ZREM', A, k)
  redis.call('ZREM', U, k)
  if m[3] > 0 then redis.call('ZREM', X, k) end
  if m[2] ~= '' then redis.call('ZREM', S .. ':g:' .. m[2], k) end
  redis.call('HINCRBY', N, 'bytes', 0 - m[1] - m[5])
  for _, log in ipairs(c.logs) do endStream(S .. ':l:' .. log, k) end
end
local function remove(k, m, kind)
  local value = c.watched and redis.call('HGET', V, k)
  redis.call('HDEL', V, k)
  unlist(k, m)
  publish(kind, k, value)
end
local function dropExpired(limit)
  for _, k in ipairs(redis.call('ZRANGEBYSCORE', X, '-inf', now, 'LIMIT', 0, limit)) do
    remove(k, metaOf(k), 'expired')
  end
end
local function liveOf(k)
  local m = metaOf(k)
  if m and not isExpired(m) then return m end
end
local function firstOther(zset, k)
  local found = redis.call('ZRANGE', zset, 0, 1)
  if found[1] == k then return found[2] end
  return found[1]
end
local function victimOf(k)
  local expired = redis.call('ZRANGEBYSCORE', X, '-inf', now, 'LIMIT', 0, 2)
  for _, one in ipairs(expired) do
    if one ~= k then return one, 'expired' end
  end
  local found = c.evict == 'expiring' and firstOther(X, k) or nil
  if not found and c.evict == 'idle' then found = firstOther(U, k) end
  return found or firstOther(A, k), 'evicted'
end
local function trim(k, group)
  if group ~= '' and c.perGroup then
    local zset = S .. ':g:' .. group
    while redis.call('ZCARD', zset) > c.perGroup do
      local victim = firstOther(zset, k)
      if not victim then break end
      local m = metaOf(victim)
      remove(victim, m, isExpired(m) and 'expired' or 'evicted')
    end
  end
  while redis.call('HLEN', V) > c.count or (c.bytes and tonumber(redis.call('HGET', N, 'bytes') or 0) > c.bytes) do
    local victim, kind = victimOf(k)
    if not victim then break end
    remove(victim, metaOf(victim), kind)
  end
end
local function deadlineOf(own)
  if own == -1 then return 0 end
  local ttl = own >= 0 and own or c.ttl
  return ttl and now + math.max(ttl, 0) or 0
end
-- Options: bytes, group ('-' keeps it), bytes of the group, own ttl ('' for none, -1 for no expiry), spare ('' keeps it).
local function hasRoom(present, group, bytes)
  local held = present and present[1] + present[5] or 0
  if redis.call('HLEN', V) + (present and 0 or 1) > c.count then return false end
  if c.bytes and tonumber(redis.call('HGET', N, 'bytes') or 0) + bytes - held > c.bytes then return false end
  local isThere = present and present[2] == group
  return group == '' or not c.perGroup or isThere or redis.call('ZCARD', S .. ':g:' .. group) < c.perGroup
end
local function put(k, value, m, at, isUpdate)
  if c.evict == 'none' then
    dropExpired(1000)
    m = metaOf(k)
  end
  local present = m and not isExpired(m) and m or nil
  local bytes = tonumber(ARGV[at])
  local group, groupBytes = ARGV[at + 1], tonumber(ARGV[at + 2])
  if group == '-' then
    group, groupBytes = present and present[2] or '', present and present[5] or 0
  end
  if c.evict == 'none' and not hasRoom(present, group, bytes + groupBytes) then return { 0, 0 } end
  local canHold = c.count >= 1 and (not c.bytes or bytes + groupBytes <= c.bytes)
    and (group == '' or not c.perGroup or c.perGroup >= 1)
  if not canHold then
    if m then
      redis.call('HDEL', V, k)
      unlist(k, m)
    end
    publish('evicted', k, value)
    return { 0, 0 }
  end
  local expired = m and not present and c.watched and redis.call('HGET', V, k)
  redis.call('HSET', V, k, value)
  if m and not present then
    unlist(k, m)
    publish('expired', k, expired)
  end
  local seq = redis.call('HINCRBY', N, 'seq', 1)
  local isSpare = ARGV[at + 4] == '1'
  if ARGV[at + 4] == '' then isSpare = isUpdate and present ~= nil and present[7] end
  local score = isSpare and string.format('%.17g', seq - 4503599627370496) or seq
  local isRanked = present ~= nil and present[7] == isSpare
  if not isRanked then redis.call('ZADD', A, score, k) end
  local oldGroup = present and present[2] or ''
  if group ~= oldGroup or not isRanked then
    if oldGroup ~= '' then redis.call('ZREM', S .. ':g:' .. oldGroup, k) end
    if group ~= '' then redis.call('ZADD', S .. ':g:' .. group, score, k) end
  end
  if c.evict == 'idle' then redis.call('ZADD', U, seq, k) end
  local keepsLife = isUpdate and present ~= nil and ARGV[at + 3] == ''
  local own = keepsLife and present[6] or tonumber(ARGV[at + 3]) or -2
  local deadline = keepsLife and not c.use and present[3] or deadlineOf(own)
  if deadline > 0 then redis.call('ZADD', X, deadline, k)
  elseif present and present[3] > 0 then redis.call('ZREM', X, k) end
  redis.call('HSET', M, k, cmsgpack.pack({ bytes, group, deadline, seq, groupBytes, own, isSpare }))
  redis.call('HINCRBY', N, 'bytes', bytes + groupBytes - (present and present[1] + present[5] or 0))
  publish('set', k, value)
  dropExpired(16)
  trim(k, group)
  return { 1, seq }
end
`

/** Bounds of a store as scripts read them. */
export interface ScriptBounds {
  count: number
  bytes?: number
  perGroup?: number
  /** Time to live in milliseconds. */
  ttl?: number
  /** A use restarts the time to live. */
  use: boolean
  evict: 'oldest' | 'idle' | 'expiring' | 'none'
  watched: boolean
  /** Names of the logs that belong to the store. */
  logs: readonly string[]
}

/**
 * Entry, value, condition (empty, `absent`, or the expected version, 0 for none), whether it is an update, options of `put`;
 * then name, bounds, stream, text, sizes and own memory of each segment that is appended to a log of the store.
 * Returns `[1, version]`, with a third `1` if another update has lost a race to the version before; `[0, 0]` if the value
 * exceeds the bounds; `[-1, version, value]` if the condition does not hold.
 */
export const PUT = defineScript(
  PRELUDE,
  APPENDER,
  `
local k, condition = ARGV[2], ARGV[4]
local m = metaOf(k)
if condition ~= '' then
  local present = m and not isExpired(m)
  if condition == 'absent' then
    if present then return { -1, m[4] } end
  elseif (present and m[4] or 0) ~= tonumber(condition) then
    if present and not m[8] then
      m[8] = true
      redis.pcall('HSET', M, k, cmsgpack.pack(m))
    end
    return { -1, present and m[4] or 0, present and redis.call('HGET', V, k) or false }
  end
end
local outcome = put(k, ARGV[3], m, 6, ARGV[5] == '1')
if outcome[1] == 1 then
  if m and m[8] then outcome[3] = 1 end
  for i = 11, #ARGV, 6 do
    appenderOf(S .. ':l:' .. ARGV[i], cjson.decode(ARGV[i + 1]))(ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], tonumber(ARGV[i + 5]), 0)
  end
end
return outcome
`,
)

/** Entry, whether it counts as use. Returns `[value, version]` or null. */
export const GET = defineScript(
  PRELUDE,
  `
local k = ARGV[2]
local m = liveOf(k)
if not m then return false end
if ARGV[3] == '1' then
  -- A full server does not note a use, but it answers.
  if c.evict == 'idle' then
    local seq = redis.pcall('HINCRBY', N, 'seq', 1)
    if type(seq) == 'number' then redis.pcall('ZADD', U, seq, k) end
  end
  local deadline = c.use and deadlineOf(m[6]) or m[3]
  if deadline ~= m[3] and type(redis.pcall('ZADD', X, deadline, k)) == 'number' then
    m[3] = deadline
    redis.pcall('HSET', M, k, cmsgpack.pack(m))
  end
end
return { redis.call('HGET', V, k), m[4] }
`,
)

/** Entry, expected version or empty. Removes it. Returns its value, null if there is none, or -1 for another version. */
export const TAKE = defineScript(
  PRELUDE,
  `
local k = ARGV[2]
local m = metaOf(k)
if not m then return ARGV[3] ~= '' and -1 end
if ARGV[3] ~= '' and (isExpired(m) or m[4] ~= tonumber(ARGV[3])) then return -1 end
if isExpired(m) then
  remove(k, m, 'expired')
  return false
end
local value = redis.call('HGET', V, k)
remove(k, m, 'deleted')
return value
`,
)

/** Entry, summand, options of `put`. Returns the sum as text, or null if the value is not a number. */
export const INCREMENT = defineScript(
  PRELUDE,
  `
local k = ARGV[2]
local m = metaOf(k)
local current = m and not isExpired(m) and redis.call('HGET', V, k) or '0'
local number = tonumber(current)
if not number then return false end
local sum = string.format('%.17g', number + tonumber(ARGV[3]))
put(k, sum, m, 4, true)
return sum
`,
)

/**
 * Group or `-` for all, `1` for newest first, place after which the page begins or empty, maximum number of entries. Returns
 * the place of the next page (empty at the end), then entry, value and version of each.
 */
export const PAGE = defineScript(
  PRELUDE,
  `
local zset = ARGV[2] == '-' and A or S .. ':g:' .. ARGV[2]
local isReverse, place, limit = ARGV[3] == '1', ARGV[4], tonumber(ARGV[5])
local found
if isReverse then
  found = redis.call('ZREVRANGEBYSCORE', zset, place == '' and '+inf' or '(' .. place, '-inf', 'WITHSCORES', 'LIMIT', 0, limit)
else
  found = redis.call('ZRANGEBYSCORE', zset, place == '' and '-inf' or '(' .. place, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
end
local page, bytes = { '' }, 0
for i = 1, #found, 2 do
  local m = liveOf(found[i])
  if m then
    local value = redis.call('HGET', V, found[i])
    page[#page + 1] = found[i]
    page[#page + 1] = value
    page[#page + 1] = m[4]
    bytes = bytes + #value
  end
  if bytes > 1048576 or i + 1 == limit * 2 then
    page[1] = found[i + 1]
    break
  end
end
return page
`,
)

/** Pairs of entry and version. Removes those that still have this version; returns their number. */
export const DROP = defineScript(
  PRELUDE,
  `
local dropped = 0
for i = 2, #ARGV, 2 do
  local m = liveOf(ARGV[i])
  if m and m[4] == tonumber(ARGV[i + 1]) then
    remove(ARGV[i], m, 'deleted')
    dropped = dropped + 1
  end
end
return dropped
`,
)

/** Removes up to 1000 entries. Returns how many were removed, and how many of them had not expired. */
export const DROP_ALL = defineScript(
  PRELUDE,
  `
local found, live = redis.call('ZRANGE', A, 0, 999), 0
for _, k in ipairs(found) do
  local m = metaOf(k)
  if not isExpired(m) then live = live + 1 end
  remove(k, m, isExpired(m) and 'expired' or 'deleted')
end
return { #found, live }
`,
)

/** Group or `-`. Returns the number of entries, and the bytes of all. */
export const COUNT = defineScript(
  PRELUDE,
  `
dropExpired(1000)
local count
if ARGV[2] == '-' then count = redis.call('HLEN', V) - redis.call('ZCOUNT', X, '-inf', now)
else count = redis.call('ZCARD', S .. ':g:' .. ARGV[2]) end
return { count, tonumber(redis.call('HGET', N, 'bytes') or 0) }
`,
)

/** Removes up to 1000 expired entries. */
export const SWEEP = defineScript(PRELUDE, 'dropExpired(1000)')

/** Milliseconds. Renews the expiry of all keys, so that an abandoned deployment disappears. */
export const RENEW = defineScript(
  PRELUDE,
  `
local life = ARGV[2]
for _, key in ipairs({ V, M, A, U, X, N }) do redis.call('PEXPIRE', key, life) end
local renewed = {}
for _, packed in ipairs(redis.call('HVALS', M)) do
  local group = cmsgpack.unpack(packed)[2]
  if group ~= '' and not renewed[group] then
    renewed[group] = true
    redis.call('PEXPIRE', S .. ':g:' .. group, life)
  end
end
`,
)
