local D = string.sub(KEYS[1], 1, -3)
local value = redis.call('HGET', KEYS[1], ARGV[1])
return value and { value, redis.call('HGET', D .. ':v', ARGV[1]) }
