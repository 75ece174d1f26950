--@include include/store.lua
--@include include/log-appender.lua
local k, condition = ARGV[2], ARGV[4]
local m = metaOf(k)
if condition ~= '' then
  local present = m and not isExpired(m)
  if condition == 'absent' then
    if present then return { -1, m[4] } end
  elseif (present and m[4] or 0) ~= tonumber(condition) then
    if present and not m[8] then
      m[8] = true
      redis.pcall('HSET', M, k, cmsgpack.pack(m))
    end
    return { -1, present and m[4] or 0, present and redis.call('HGET', V, k) or false }
  end
end
local outcome = put(k, ARGV[3], m, 6, ARGV[5] == '1')
if outcome[1] == 1 then
  if m and m[8] then outcome[3] = 1 end
  for i = 11, #ARGV, 6 do
    appenderOf(S .. ':l:' .. ARGV[i], cjson.decode(ARGV[i + 1]))(ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], tonumber(ARGV[i + 5]), 0)
  end
end
return outcome
