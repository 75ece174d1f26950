/**
 * Lua scripts of an event log:
 *
 * | Key | Type | Content |
 * |---|---|---|
 * | `L:s:<stream>` | stream | entries `<number>-0` with value `v` and size `b` |
 * | `L:n` | hash | number, bytes, own memory and deadline of each stream (`q:`, `b:`, `t:`, `d:`), count and bytes of all, uses |
 * | `L:o` | sorted set | streams by last append |
 * | `L:f` | sorted set | streams that have entries, by last append |
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
    local deadline = stream and tonumber(redis.call('HGET', N, 'd:' .. stream) or 'inf')
    if not stream or deadline > now then return end
    endStream(L, stream)
  end
end
local function drop(stream, id, bytes)
  redis.call('XDEL', keyOf(stream), id)
  changeBytes(L, stream, -1, 0 - bytes)
  if redis.call('XLEN', keyOf(stream)) == 0 then redis.call('ZREM', F, stream) end
end
local function dropOldest(stream)
  local first = redis.call('XRANGE', keyOf(stream), '-', '+', 'COUNT', 1)[1]
  drop(stream, first[1], tonumber(first[2][4]))
end
local function number(field) return tonumber(redis.call('HGET', N, field) or 0) end
local function trim(stream)
  while redis.call('XLEN', keyOf(stream)) > c.perStream
    or (c.bytesPerStream and redis.call('XLEN', keyOf(stream)) > 0 and number('b:' .. stream) > c.bytesPerStream) do
    dropOldest(stream)
  end
  while (c.count and (number('c') > c.count or redis.call('ZCARD', O) > c.count)) or (c.bytes and number('b') > c.bytes) do
    local victim = redis.call('ZRANGE', c.of and F or O, 0, 0)[1]
    if not victim then return end
    if redis.call('XLEN', keyOf(victim)) > 0 then dropOldest(victim)
    elseif victim ~= stream then endStream(L, victim)
    else return end
  end
end
local function append(stream, value, bytes, own)
  if not owns(stream) then return false end
  local seq = number('q:' .. stream) + 1
  redis.call('XADD', keyOf(stream), string.format('%d-0', seq), 'v', value, 'b', bytes)
  if seq == 1 then
    redis.call('HSET', N, 't:' .. stream, own)
    redis.call('HINCRBY', N, 'b', own)
  end
  redis.call('HSET', N, 'q:' .. stream, seq)
  if c.ttl then redis.call('HSET', N, 'd:' .. stream, string.format('%.0f', now + c.ttl)) end
  changeBytes(L, stream, 1, bytes)
  local use = redis.call('HINCRBY', N, 'u', 1)
  redis.call('ZADD', O, use, stream)
  redis.call('ZADD', F, use, stream)
  redis.call('SPUBLISH', L .. ':' .. stream, cjson.encode(#value <= 16384 and { seq, value } or { seq }))
  trim(stream)
  return seq
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
local function page(found)
  local entries, bytes = {}, 0
  for _, entry in ipairs(found) do
    if bytes > 1048576 then break end
    entries[#entries + 1] = tonumber(string.match(entry[1], '^(%d+)'))
    entries[#entries + 1] = entry[2][2]
    bytes = bytes + #entry[2][2]
  end
  return entries
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

/** Stream, value, bytes and own memory of the stream, repeated. Returns the number of each entry, or null. */
export const APPEND = defineScript(
  PRELUDE,
  `
local numbers = {}
for i = 2, #ARGV, 4 do
  numbers[#numbers + 1] = append(ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), ARGV[i + 3])
end
-- After the first write: a full server refuses only that.
endExpired()
return numbers
`,
)

/** Stream, first and last number, maximum. Returns number and value of each entry in this order. */
export const READ = defineScript(
  PRELUDE,
  `
endExpired()
if not owns(ARGV[2]) then return {} end
return page(redis.call('XRANGE', keyOf(ARGV[2]), ARGV[3], ARGV[4], 'COUNT', ARGV[5]))
`,
)

/** Like `READ`, from the last number back to the first. */
export const READ_BACK = defineScript(
  PRELUDE,
  `
endExpired()
if not owns(ARGV[2]) then return {} end
return page(redis.call('XREVRANGE', keyOf(ARGV[2]), ARGV[4], ARGV[3], 'COUNT', ARGV[5]))
`,
)

/** Stream. Returns whether it can exist, the number of its last entry, the number of its entries and the bytes of all. */
export const INFO = defineScript(
  PRELUDE,
  `
endExpired()
local stream = ARGV[2]
local isThere = owns(stream)
return { isThere and 1 or 0, isThere and number('q:' .. stream) or 0, isThere and redis.call('XLEN', keyOf(stream)) or 0, number('b') }
`,
)

/** Stream, numbers of entries. Removes them and returns how many there were. */
export const REMOVE = defineScript(
  PRELUDE,
  `
local removed = 0
for i = 3, #ARGV do
  local found = redis.call('XRANGE', keyOf(ARGV[2]), ARGV[i], ARGV[i])[1]
  if found then
    drop(ARGV[2], found[1], tonumber(found[2][4]))
    removed = removed + 1
  end
end
return removed
`,
)

/** Milliseconds. Renews the expiry of all keys. */
export const RENEW_LOG = defineScript(
  PRELUDE,
  `
for _, key in ipairs({ N, O, F }) do redis.call('PEXPIRE', key, ARGV[2]) end
for _, stream in ipairs(redis.call('ZRANGE', O, 0, -1)) do redis.call('PEXPIRE', keyOf(stream), ARGV[2]) end
`,
)
