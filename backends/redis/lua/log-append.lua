--@include include/log.lua
local numbers = {}
for i = 2, #ARGV, 5 do
  numbers[#numbers + 1] = owns(ARGV[i]) and append(ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4]))
end
-- After the first write: a full server refuses only that.
endExpired()
return numbers
