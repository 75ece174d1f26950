/** Lua functions for the streams of event logs, for the scripts of logs and of the stores that own logs. */

/** Requires `now`. `L` is the key of a log. */
export const LOG_FUNCTIONS = `
local function changeBytes(L, stream, count, bytes)
  redis.call('HINCRBY', L .. ':n', 'c', count)
  redis.call('HINCRBY', L .. ':n', 'b', bytes)
  redis.call('HINCRBY', L .. ':n', 'b:' .. stream, bytes)
end
local function endStream(L, stream)
  local n, key = L .. ':n', L .. ':s:' .. stream
  if redis.call('HEXISTS', n, 'q:' .. stream) == 0 then return end
  local own = redis.call('HMGET', n, 'b:' .. stream, 't:' .. stream)
  redis.call('HINCRBY', n, 'c', 0 - redis.call('XLEN', key))
  redis.call('HINCRBY', n, 'b', 0 - (tonumber(own[1]) or 0) - (tonumber(own[2]) or 0))
  redis.call('HDEL', n, 'q:' .. stream, 'b:' .. stream, 't:' .. stream, 'd:' .. stream)
  redis.call('ZREM', L .. ':o', stream)
  redis.call('ZREM', L .. ':f', stream)
  redis.call('UNLINK', key)
  redis.call('SPUBLISH', L .. ':' .. stream, '[0]')
end
`
