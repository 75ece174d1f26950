-- KEYS[1] is `Q:u`, ARGV[1] has `replica`, `living` and more as JSON.

-- The most sets of counters in a group, the time after which one is idle in milliseconds, and the number evicted at once.
local MAX_IN_GROUP, IDLE_MS, EVICTION_BATCH = 10000, 3600000, 1000

local Q = string.sub(KEYS[1], 1, -3)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local input = cjson.decode(ARGV[1])
local function slotsOf(key, kind)
  local fields, own, others = {}, 0, 0
  for i, replica in ipairs(input.living) do fields[i] = kind .. ':' .. replica end
  for i, held in ipairs(redis.call('HMGET', key, unpack(fields))) do
    if input.living[i] == input.replica then own = tonumber(held or 0) else others = others + tonumber(held or 0) end
  end
  return own, others
end
local function recordOf(s)
  local key = Q .. ':' .. s.id
  local f = redis.call('HMGET', key, 'start', 'finish', 'requests', 'egress', 'tokens', 'filled', 'rate')
  local r = { key = key, isNew = not f[1] }
  r.start, r.finish = tonumber(f[1] or s.start), tonumber(f[2] or s.finish)
  r.requests, r.egress = tonumber(f[3] or s.known.requests), tonumber(f[4] or s.known.egress)
  if s.wall >= r.finish or s.wall < r.start - (r.finish - r.start) then
    r.start, r.finish, r.requests, r.egress = s.start, s.finish, 0, 0
    r.isOver = true
  end
  r.tokens = 0
  if s.rate then
    r.rate = s.rate.rps .. '/' .. s.rate.burst
    r.tokens = s.rate.burst
    if f[7] == r.rate then r.tokens = math.min(r.tokens, tonumber(f[5]) + math.max(0, now - tonumber(f[6])) * s.rate.rps / 1000) end
  end
  r.ownFlights, r.flights = slotsOf(key, 'f')
  r.ownStreams, r.streams = slotsOf(key, 's')
  return r
end
local function write(s, r)
  redis.call('HSET', r.key, 'start', r.start, 'finish', r.finish, 'requests', r.requests, 'egress', r.egress)
  if r.isOver then redis.call('HDEL', r.key, 'x:rps', 'x:requests') end
  if s.rate then redis.call('HSET', r.key, 'tokens', string.format('%.17g', r.tokens), 'filled', now, 'rate', r.rate) end
  redis.call('PEXPIRE', r.key, s.life)
end
local function hold(r, kind, by, isAbsolute)
  local field = kind .. ':' .. input.replica
  if isAbsolute then redis.call('HSET', r.key, field, by)
  elseif by ~= 0 then by = redis.call('HINCRBY', r.key, field, by) else return end
  if by <= 0 then redis.call('HDEL', r.key, field) end
end
local function isBusy(key)
  local ownFlights, flights = slotsOf(key, 'f')
  local ownStreams, streams = slotsOf(key, 's')
  return ownFlights + flights + ownStreams + streams > 0
end
local function enlist(s, r)
  if not s.group then return end
  local order = Q .. ':' .. s.group
  redis.call('ZADD', order, now, s.id)
  redis.call('PEXPIRE', order, s.life)
  if not r.isNew or redis.call('ZCARD', order) <= MAX_IN_GROUP then return end
  local dropped = 0
  local function drop(ids)
    for _, id in ipairs(ids) do
      if id ~= s.id and not isBusy(Q .. ':' .. id) then
        redis.call('DEL', Q .. ':' .. id)
        redis.call('ZREM', order, id)
        dropped = dropped + 1
      end
    end
  end
  drop(redis.call('ZRANGEBYSCORE', order, '-inf', now - IDLE_MS, 'LIMIT', 0, EVICTION_BATCH))
  if dropped == 0 then drop(redis.call('ZRANGE', order, 0, EVICTION_BATCH - 1)) end
end
local function stateOf(r)
  return { string.format('%.0f', r.start), string.format('%.0f', r.requests), string.format('%.0f', r.egress),
    math.floor(r.tokens), r.flights, r.streams }
end
