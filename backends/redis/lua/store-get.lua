--@include include/store.lua
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
