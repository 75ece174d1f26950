/**
 * Lua scripts of an event log. Entries that are appended together are one segment (`log-segment.ts`), because a command for
 * each of them would cost much more:
 *
 * | Key | Type | Content |
 * |---|---|---|
 * | `L:s:<stream>` | sorted set | segments by the number of their last entry |
 * | `L:n` | hash | state of each stream (`s:<stream>`) and of all (`all`) |
 * | `L:o` | sorted set | streams by last append; not if a store without expiry owns the log |
 * | `L:f` | sorted set | streams that have entries, by last append; only if a store owns the log |
 */
import { LOG_FUNCTIONS } from './log-streams.ts'
import { defineScript } from './script.ts'

/** Requires `now`, `LOG_FUNCTIONS`, and of a log: its key `L`, its bounds `c`, and the keys `N`, `O` and `F`. */
const APPEND_FUNCTIONS = `
local function keyOf(stream) return L .. ':s:' .. stream end
local function owns(stream)
  if not c.of then return true end
  local packed = redis.call('HGET', c.of .. ':m', stream)
  if not packed then return false end
  local deadline = cmsgpack.unpack(packed)[3]
  return deadline == 0 or deadline > now
end
local function endExpired()
  if not c.ttl then return end
  for _ = 1, 1000 do
    local stream = redis.call('ZRANGE', O, 0, 0)[1]
    local one = stream and statesOf(L, stream)
    if not one or one[DEADLINE] > now then return end
    endStream(L, stream)
  end
end
-- The number of the first entry of a segment, and the size of each; '-' if it was removed.
local function headOf(segment)
  local first, sizes = string.match(segment, '^(%d+) ([^\\n]*)')
  return tonumber(first), sizes
end
local function account(one, all, entries, bytes)
  one[ENTRIES], one[BYTES] = one[ENTRIES] + entries, one[BYTES] + bytes
  all[ALL_ENTRIES], all[ALL_BYTES] = all[ALL_ENTRIES] + entries, all[ALL_BYTES] + bytes
end
-- Drops the oldest entries of a stream while it exceeds something.
local function dropOldest(stream, one, all, exceeds)
  while one[ENTRIES] > 0 and exceeds() do
    local oldest = redis.call('ZRANGE', keyOf(stream), 0, 0)[1]
    if not oldest then account(one, all, 0 - one[ENTRIES], 0 - one[BYTES]) break end
    local number, sizes = headOf(oldest)
    local isLeft = false
    for size in string.gmatch(sizes, '[^,]+') do
      if number >= one[FROM] then
        if size ~= '-' then
          isLeft = not exceeds()
          if isLeft then break end
          account(one, all, -1, 0 - tonumber(size))
        end
        one[FROM] = number + 1
      end
      number = number + 1
    end
    if not isLeft then redis.call('ZREMRANGEBYRANK', keyOf(stream), 0, 0) end
  end
  if c.of and one[ENTRIES] == 0 then redis.call('ZREM', F, stream) end
end
local function save(stream, one, all)
  redis.call('HSET', N, 's:' .. stream, cmsgpack.pack(one), 'all', cmsgpack.pack(all))
end
local function trimAll(stream, one, all)
  local function exceeds()
    return (c.count and (all[ALL_ENTRIES] > c.count or all[ALL_STREAMS] > c.count)) or (c.bytes and all[ALL_BYTES] > c.bytes)
  end
  while exceeds() do
    local victim = redis.call('ZRANGE', c.of and F or O, 0, 0)[1]
    if not victim then break end
    local its = victim == stream and one or statesOf(L, victim)
    if its[ENTRIES] > 0 then
      dropOldest(victim, its, all, exceeds)
      save(victim, its, all)
    elseif victim ~= stream then
      save(stream, one, all)
      endStream(L, victim)
      all = select(2, statesOf(L, stream))
    else break end
  end
  return all
end
-- Skipped entries have numbers, but would be dropped at once.
local function append(stream, text, sizes, own, skipped)
  local one, all = statesOf(L, stream)
  local isNew = not one
  if isNew then
    one = { 0, 1, 0, 0, own, 0 }
    all[ALL_STREAMS] = all[ALL_STREAMS] + 1
    all[ALL_BYTES] = all[ALL_BYTES] + own
  end
  local first, entries, bytes = one[LAST] + skipped + 1, 0, 0
  for size in string.gmatch(sizes, '%d+') do
    entries = entries + 1
    bytes = bytes + tonumber(size)
  end
  local segment = string.format('%d %s\\n', first, sizes) .. text
  one[LAST] = one[LAST] + skipped + entries
  redis.call('ZADD', keyOf(stream), one[LAST], segment)
  account(one, all, entries, bytes)
  if c.ttl then one[DEADLINE] = now + c.ttl end
  all[ALL_USES] = all[ALL_USES] + 1
  if c.ttl or not c.of then redis.call('ZADD', O, all[ALL_USES], stream) end
  if c.of then redis.call('ZADD', F, all[ALL_USES], stream) end
  redis.call('SPUBLISH', L .. ':' .. stream, #segment <= 16384 and segment or string.format('%d', one[LAST]))
  dropOldest(stream, one, all, function()
    return one[ENTRIES] > c.perStream or (c.bytesPerStream and one[BYTES] > c.bytesPerStream)
  end)
  all = trimAll(stream, one, all)
  save(stream, one, all)
  return one[LAST]
end
`

/** For scripts of the store that owns a log: `appenderOf(L, c)` returns a function that appends. */
export const APPENDER = `
local function appenderOf(L, c)
  local N, O, F = L .. ':n', L .. ':o', L .. ':f'
  ${APPEND_FUNCTIONS}
  return append
end
`

/** KEYS[1] is `L:n`, ARGV[1] the bounds as JSON (`LogScriptBounds`). Other arguments follow. */
const PRELUDE = `
local L = string.sub(KEYS[1], 1, -3)
local N, O, F = L .. ':n', L .. ':o', L .. ':f'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local c = cjson.decode(ARGV[1])
${LOG_FUNCTIONS}
${APPEND_FUNCTIONS}
-- Whole segments with at least \`limit\` entries, or 1 MiB; the first number that is kept comes first.
local function page(stream, command, start, stop, limit)
  local one = owns(stream) and statesOf(L, stream)
  if not one then return { 1 } end
  local found, entries, bytes = { one[FROM] }, 0, 0
  while entries < limit and bytes < 1048576 do
    local some = redis.call(command, keyOf(stream), start, stop, 'LIMIT', #found - 1, 8)
    for _, segment in ipairs(some) do
      if entries >= limit or bytes >= 1048576 then break end
      local _, sizes = headOf(segment)
      found[#found + 1] = segment
      bytes = bytes + #segment
      entries = entries + 1 + select(2, string.gsub(sizes, ',', ''))
    end
    if #some < 8 then break end
  end
  return found
end
`

/** Bounds of a log as scripts read them. */
export interface LogScriptBounds {
  perStream: number
  bytesPerStream?: number
  count?: number
  bytes?: number
  /** Milliseconds. */
  ttl?: number
  /** Key of the store that the log belongs to. */
  of?: string
}

/**
 * Stream, text and sizes of a segment, own memory of the stream, number of skipped entries; repeated. Returns the number of
 * the last entry of each segment, or null.
 */
export const APPEND = defineScript(
  PRELUDE,
  `
local numbers = {}
for i = 2, #ARGV, 5 do
  numbers[#numbers + 1] = owns(ARGV[i]) and append(ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4]))
end
-- After the first write: a full server refuses only that.
endExpired()
return numbers
`,
)

/** Stream, first number, number of entries. Returns the first number that is kept, then segments in this order. */
export const READ = defineScript(
  PRELUDE,
  `
endExpired()
return page(ARGV[2], 'ZRANGEBYSCORE', ARGV[3], '+inf', tonumber(ARGV[4]))
`,
)

/** Stream, last number, number of entries. Like `READ`, back from the last number. */
export const READ_BACK = defineScript(
  PRELUDE,
  `
endExpired()
return page(ARGV[2], 'ZREVRANGEBYSCORE', ARGV[3], '-inf', tonumber(ARGV[4]))
`,
)

/**
 * Stream. Returns whether it can exist, the number of its last entry, the number of its entries, and the bytes and the number
 * of the entries of all streams.
 */
export const INFO = defineScript(
  PRELUDE,
  `
endExpired()
local isThere = owns(ARGV[2])
local one, all = statesOf(L, ARGV[2])
if not isThere or not one then return { isThere and 1 or 0, 0, 0, all[ALL_BYTES], all[ALL_ENTRIES] } end
return { 1, one[LAST], one[ENTRIES], all[ALL_BYTES], all[ALL_ENTRIES] }
`,
)

/**
 * Stream; number of the last entry of a segment, its sizes as they were read, its sizes and text without removed entries;
 * repeated. Returns how many entries were removed, and how many segments had changed meanwhile or were gone.
 */
export const REMOVE = defineScript(
  PRELUDE,
  `
local stream = ARGV[2]
local one, all = statesOf(L, stream)
local removed, changed = 0, 0
for i = 3, #ARGV, 4 do
  local segment = one and redis.call('ZRANGEBYSCORE', keyOf(stream), ARGV[i], ARGV[i])[1]
  local first, seen = headOf(segment or '')
  if not segment or seen ~= ARGV[i + 1] then changed = changed + 1
  else
    local number, before, isLeft = first, string.gmatch(seen, '[^,]+'), false
    for size in string.gmatch(ARGV[i + 2], '[^,]+') do
      local old = before()
      if number >= one[FROM] and size ~= '-' then isLeft = true
      elseif number >= one[FROM] and old ~= '-' then
        account(one, all, -1, 0 - tonumber(old))
        removed = removed + 1
      end
      number = number + 1
    end
    redis.call('ZREMRANGEBYSCORE', keyOf(stream), ARGV[i], ARGV[i])
    if isLeft then
      redis.call('ZADD', keyOf(stream), ARGV[i], string.format('%d %s\\n', first, ARGV[i + 2]) .. ARGV[i + 3])
    end
  end
end
if one and removed > 0 then
  if one[ENTRIES] == 0 then redis.call('ZREM', F, stream) end
  save(stream, one, all)
end
return { removed, changed }
`,
)

/** Milliseconds. Renews the expiry of all keys. */
export const RENEW_LOG = defineScript(
  PRELUDE,
  `
for _, key in ipairs({ N, O, F }) do redis.call('PEXPIRE', key, ARGV[2]) end
for _, stream in ipairs(redis.call('ZRANGE', c.of and F or O, 0, -1)) do redis.call('PEXPIRE', keyOf(stream), ARGV[2]) end
`,
)
