--@include include/quota.lua
local function exceeds(s, r, check)
  local limits = s.limits or {}
  if check == 'requests' then return r.requests >= limits.requests end
  if check == 'egress' then return r.egress >= limits.egress end
  if check == 'rps' then return r.tokens < 1 end
  if check == 'concurrency' then return r.ownFlights + r.flights >= limits.concurrency end
  return r.ownStreams + r.streams >= limits.streams
end
local records, states = {}, {}
for i, s in ipairs(input.claims) do
  records[i] = recordOf(s)
  states[i] = stateOf(records[i])
end
for i, s in ipairs(input.claims) do
  for _, check in ipairs(s.checks) do
    if exceeds(s, records[i], check) then
      if s.isNoted then
        write(s, records[i])
        redis.call('HINCRBY', records[i].key, 'x:' .. check, 1)
        redis.call('HSET', records[i].key, 'seen', s.wall)
        enlist(s, records[i])
      end
      return { i, check, states }
    end
  end
end
for i, s in ipairs(input.claims) do
  local r = records[i]
  if s.isCounted then r.requests = r.requests + 1 end
  if s.takesToken then r.tokens = r.tokens - 1 end
  write(s, r)
  if s.isNoted then redis.call('HSET', r.key, 'seen', s.wall) end
  if s.slots then hold(r, 'f', 1) end
  if s.slots == 'stream' then hold(r, 's', 1) end
  enlist(s, r)
  states[i] = stateOf(r)
end
return { 0, '', states }
