local D = string.sub(KEYS[1], 1, -3)
local value = redis.call('HGET', KEYS[1], ARGV[1])
local version = value and redis.call('HGET', D .. ':v', ARGV[1]) or '0'
if version ~= ARGV[3] then return { 0, value, version } end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', D .. ':v', ARGV[1], ARGV[4])
return { 1, ARGV[2], ARGV[4] }
