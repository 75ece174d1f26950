--@include include/quota.lua
local states = {}
for i, s in ipairs(input.subjects) do
  local r = recordOf(s)
  r.flights, r.streams = r.ownFlights + r.flights, r.ownStreams + r.streams
  local noted = r.isOver and {} or redis.call('HMGET', r.key, 'x:rps', 'x:requests', 'seen')
  states[i] = { stateOf(r), noted[1] or '0', noted[2] or '0', noted[3] or '' }
end
return states
