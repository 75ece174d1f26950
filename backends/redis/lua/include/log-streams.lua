-- For the streams of event logs. `L` is the key of a log. The state of a stream is [last number, first number that is kept,
-- entries, their bytes, own memory, deadline], that of all streams [entries, bytes, uses, streams].
local LAST, FROM, ENTRIES, BYTES, OWN, DEADLINE = 1, 2, 3, 4, 5, 6
local ALL_ENTRIES, ALL_BYTES, ALL_USES, ALL_STREAMS = 1, 2, 3, 4
local function statesOf(L, stream)
  local packed = redis.call('HMGET', L .. ':n', 's:' .. stream, 'all')
  return packed[1] and cmsgpack.unpack(packed[1]) or nil, packed[2] and cmsgpack.unpack(packed[2]) or { 0, 0, 0, 0 }
end
local function endStream(L, stream)
  -- A stream without entries has no state, but may have followers.
  redis.call('SPUBLISH', L .. ':' .. stream, '0')
  local one, all = statesOf(L, stream)
  if not one then return end
  redis.call('HDEL', L .. ':n', 's:' .. stream)
  all[ALL_ENTRIES] = all[ALL_ENTRIES] - one[ENTRIES]
  all[ALL_BYTES] = all[ALL_BYTES] - one[BYTES] - one[OWN]
  all[ALL_STREAMS] = all[ALL_STREAMS] - 1
  redis.call('HSET', L .. ':n', 'all', cmsgpack.pack(all))
  redis.call('ZREM', L .. ':o', stream)
  redis.call('ZREM', L .. ':f', stream)
  redis.call('UNLINK', L .. ':s:' .. stream)
end
