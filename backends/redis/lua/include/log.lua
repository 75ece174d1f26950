-- KEYS[1] is `L:n`, ARGV[1] the bounds as JSON (`LogScriptBounds`). Other arguments follow.
local L = string.sub(KEYS[1], 1, -3)
local N, O, F = L .. ':n', L .. ':o', L .. ':f'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local c = cjson.decode(ARGV[1])
--@include include/log-streams.lua
--@include include/log-append.lua
-- Whole segments with at least `limit` entries, or 1 MiB; the first number that is kept comes first.
local function page(stream, command, start, stop, limit)
  local one = owns(stream) and statesOf(L, stream)
  if not one then return { 1 } end
  local found, entries, bytes = { one[FROM] }, 0, 0
  while entries < limit and bytes < 1048576 do
    local some = redis.call(command, keyOf(stream), start, stop, 'LIMIT', #found - 1, 8)
    for _, segment in ipairs(some) do
      if entries >= limit or bytes >= 1048576 then break end
      local _, sizes = headOf(segment)
      found[#found + 1] = segment
      bytes = bytes + #segment
      entries = entries + 1 + select(2, string.gsub(sizes, ',', ''))
    end
    if #some < 8 then break end
  end
  return found
end
