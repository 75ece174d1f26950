-- KEYS[1] is `S:n`, ARGV[1] the bounds as JSON (`ScriptBounds`). Other arguments follow.
local S = string.sub(KEYS[1], 1, -3)
local V, M, A, U, X, N = S .. ':v', S .. ':m', S .. ':a', S .. ':u', S .. ':x', S .. ':n'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local c = cjson.decode(ARGV[1])
--@include include/log-streams.lua
local function metaOf(k)
  local packed = redis.call('HGET', M, k)
  return packed and cmsgpack.unpack(packed) or nil
end
local function isExpired(m) return m[3] > 0 and m[3] <= now end
local function publish(kind, k, value)
  if not c.watched then return end
  local message = { redis.call('HINCRBY', N, 'change', 1), kind, k }
  if value and (kind ~= 'set' or #value <= 16384) then message[4] = value end
  redis.call('SPUBLISH', S, cjson.encode(message))
end
local function unlist(k, m)
  redis.call('HDEL', M, k)
  redis.call('ZREM', A, k)
  redis.call('ZREM', U, k)
  if m[3] > 0 then redis.call('ZREM', X, k) end
  if m[2] ~= '' then redis.call('ZREM', S .. ':g:' .. m[2], k) end
  redis.call('HINCRBY', N, 'bytes', 0 - m[1] - m[5])
  for _, log in ipairs(c.logs) do endStream(S .. ':l:' .. log, k) end
end
local function remove(k, m, kind)
  local value = c.watched and redis.call('HGET', V, k)
  redis.call('HDEL', V, k)
  unlist(k, m)
  publish(kind, k, value)
end
local function dropExpired(limit)
  for _, k in ipairs(redis.call('ZRANGEBYSCORE', X, '-inf', now, 'LIMIT', 0, limit)) do
    remove(k, metaOf(k), 'expired')
  end
end
local function liveOf(k)
  local m = metaOf(k)
  if m and not isExpired(m) then return m end
end
local function firstOther(zset, k)
  local found = redis.call('ZRANGE', zset, 0, 1)
  if found[1] == k then return found[2] end
  return found[1]
end
local function victimOf(k)
  local expired = redis.call('ZRANGEBYSCORE', X, '-inf', now, 'LIMIT', 0, 2)
  for _, one in ipairs(expired) do
    if one ~= k then return one, 'expired' end
  end
  local found = c.evict == 'expiring' and firstOther(X, k) or nil
  if not found and c.evict == 'idle' then found = firstOther(U, k) end
  return found or firstOther(A, k), 'evicted'
end
local function trim(k, group)
  if group ~= '' and c.perGroup then
    local zset = S .. ':g:' .. group
    while redis.call('ZCARD', zset) > c.perGroup do
      local victim = firstOther(zset, k)
      if not victim then break end
      local m = metaOf(victim)
      remove(victim, m, isExpired(m) and 'expired' or 'evicted')
    end
  end
  while redis.call('HLEN', V) > c.count or (c.bytes and tonumber(redis.call('HGET', N, 'bytes') or 0) > c.bytes) do
    local victim, kind = victimOf(k)
    if not victim then break end
    remove(victim, metaOf(victim), kind)
  end
end
local function deadlineOf(own)
  if own == -1 then return 0 end
  local ttl = own >= 0 and own or c.ttl
  return ttl and now + math.max(ttl, 0) or 0
end
-- Options: bytes, group ('-' keeps it), bytes of the group, own ttl ('' for none, -1 for no expiry), spare ('' keeps it).
local function hasRoom(present, group, bytes)
  local held = present and present[1] + present[5] or 0
  if redis.call('HLEN', V) + (present and 0 or 1) > c.count then return false end
  if c.bytes and tonumber(redis.call('HGET', N, 'bytes') or 0) + bytes - held > c.bytes then return false end
  local isThere = present and present[2] == group
  return group == '' or not c.perGroup or isThere or redis.call('ZCARD', S .. ':g:' .. group) < c.perGroup
end
local function put(k, value, m, at, isUpdate)
  if c.evict == 'none' then
    dropExpired(1000)
    m = metaOf(k)
  end
  local present = m and not isExpired(m) and m or nil
  local bytes = tonumber(ARGV[at])
  local group, groupBytes = ARGV[at + 1], tonumber(ARGV[at + 2])
  if group == '-' then
    group, groupBytes = present and present[2] or '', present and present[5] or 0
  end
  if c.evict == 'none' and not hasRoom(present, group, bytes + groupBytes) then return { 0, 0 } end
  local canHold = c.count >= 1 and (not c.bytes or bytes + groupBytes <= c.bytes)
    and (group == '' or not c.perGroup or c.perGroup >= 1)
  if not canHold then
    if m then
      redis.call('HDEL', V, k)
      unlist(k, m)
    end
    publish('evicted', k, value)
    return { 0, 0 }
  end
  local expired = m and not present and c.watched and redis.call('HGET', V, k)
  redis.call('HSET', V, k, value)
  if m and not present then
    unlist(k, m)
    publish('expired', k, expired)
  end
  local seq = redis.call('HINCRBY', N, 'seq', 1)
  local isSpare = ARGV[at + 4] == '1'
  if ARGV[at + 4] == '' then isSpare = isUpdate and present ~= nil and present[7] end
  local score = isSpare and string.format('%.17g', seq - 4503599627370496) or seq
  local isRanked = present ~= nil and present[7] == isSpare
  if not isRanked then redis.call('ZADD', A, score, k) end
  local oldGroup = present and present[2] or ''
  if group ~= oldGroup or not isRanked then
    if oldGroup ~= '' then redis.call('ZREM', S .. ':g:' .. oldGroup, k) end
    if group ~= '' then redis.call('ZADD', S .. ':g:' .. group, score, k) end
  end
  if c.evict == 'idle' then redis.call('ZADD', U, seq, k) end
  local keepsLife = isUpdate and present ~= nil and ARGV[at + 3] == ''
  local own = keepsLife and present[6] or tonumber(ARGV[at + 3]) or -2
  local deadline = keepsLife and not c.use and present[3] or deadlineOf(own)
  if deadline > 0 then redis.call('ZADD', X, deadline, k)
  elseif present and present[3] > 0 then redis.call('ZREM', X, k) end
  redis.call('HSET', M, k, cmsgpack.pack({ bytes, group, deadline, seq, groupBytes, own, isSpare }))
  redis.call('HINCRBY', N, 'bytes', bytes + groupBytes - (present and present[1] + present[5] or 0))
  publish('set', k, value)
  dropExpired(16)
  trim(k, group)
  return { 1, seq }
end
