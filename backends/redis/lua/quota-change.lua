--@include include/quota.lua
local states = {}
for i, s in ipairs(input.changes) do
  local r = recordOf(s)
  for _, requests in ipairs(s.requests) do
    if requests.start == r.start then r.requests = math.max(0, r.requests + requests.by) end
  end
  r.egress = r.egress + s.egress
  if s.rate then r.tokens = math.min(s.rate.burst, r.tokens + s.tokens) end
  write(s, r)
  hold(r, 'f', s.flights, s.isAbsolute)
  hold(r, 's', s.streams, s.isAbsolute)
  enlist(s, r)
  states[i] = stateOf(r)
end
return states
