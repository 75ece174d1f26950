--@include include/store.lua
local found, live = redis.call('ZRANGE', A, 0, 999), 0
for _, k in ipairs(found) do
  local m = metaOf(k)
  if not isExpired(m) then live = live + 1 end
  remove(k, m, isExpired(m) and 'expired' or 'deleted')
end
return { #found, live }
