--@include include/store.lua
local dropped = 0
for i = 2, #ARGV, 2 do
  local m = liveOf(ARGV[i])
  if m and m[4] == tonumber(ARGV[i + 1]) then
    remove(ARGV[i], m, 'deleted')
    dropped = dropped + 1
  end
end
return dropped
