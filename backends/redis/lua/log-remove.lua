--@include include/log.lua
local stream = ARGV[2]
local one, all = statesOf(L, stream)
local removed, changed = 0, 0
for i = 3, #ARGV, 4 do
  local segment = one and redis.call('ZRANGEBYSCORE', keyOf(stream), ARGV[i], ARGV[i])[1]
  local first, seen = headOf(segment or '')
  if not segment or seen ~= ARGV[i + 1] then changed = changed + 1
  else
    local number, before, isLeft = first, string.gmatch(seen, '[^,]+'), false
    for size in string.gmatch(ARGV[i + 2], '[^,]+') do
      local old = before()
      if number >= one[FROM] and size ~= '-' then isLeft = true
      elseif number >= one[FROM] and old ~= '-' then
        account(one, all, -1, 0 - tonumber(old))
        removed = removed + 1
      end
      number = number + 1
    end
    redis.call('ZREMRANGEBYSCORE', keyOf(stream), ARGV[i], ARGV[i])
    if isLeft then
      redis.call('ZADD', keyOf(stream), ARGV[i], string.format('%d %s\n', first, ARGV[i + 2]) .. ARGV[i + 3])
    end
  end
end
if one and removed > 0 then
  if one[ENTRIES] == 0 then redis.call('ZREM', F, stream) end
  save(stream, one, all)
end
return { removed, changed }
