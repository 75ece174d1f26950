--@include include/store.lua
local zset = ARGV[2] == '-' and A or S .. ':g:' .. ARGV[2]
local isReverse, place, limit = ARGV[3] == '1', ARGV[4], tonumber(ARGV[5])
local found
if isReverse then
  found = redis.call('ZREVRANGEBYSCORE', zset, place == '' and '+inf' or '(' .. place, '-inf', 'WITHSCORES', 'LIMIT', 0, limit)
else
  found = redis.call('ZRANGEBYSCORE', zset, place == '' and '-inf' or '(' .. place, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
end
local page, bytes = { '' }, 0
for i = 1, #found, 2 do
  local m = liveOf(found[i])
  if m then
    local value = redis.call('HGET', V, found[i])
    page[#page + 1] = found[i]
    page[#page + 1] = value
    page[#page + 1] = m[4]
    bytes = bytes + #value
  end
  if bytes > 1048576 or i + 1 == limit * 2 then
    page[1] = found[i + 1]
    break
  end
end
return page
