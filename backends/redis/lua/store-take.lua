--@include include/store.lua
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
