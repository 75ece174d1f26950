--@include include/store.lua
local k = ARGV[2]
local m = metaOf(k)
local current = m and not isExpired(m) and redis.call('HGET', V, k) or '0'
local number = tonumber(current)
if not number then return false end
local sum = string.format('%.17g', number + tonumber(ARGV[3]))
put(k, sum, m, 4, true)
return sum
