--@include include/store.lua
dropExpired(1000)
local count
if ARGV[2] == '-' then count = redis.call('HLEN', V) - redis.call('ZCOUNT', X, '-inf', now)
else count = redis.call('ZCARD', S .. ':g:' .. ARGV[2]) end
return { count, tonumber(redis.call('HGET', N, 'bytes') or 0) }
