-- For scripts of the store that owns a log: `appenderOf(L, c)` returns a function that appends. Requires `now` and
-- log-streams.lua.
local function appenderOf(L, c)
  local N, O, F = L .. ':n', L .. ':o', L .. ':f'
--@include include/log-append.lua
  return append
end
