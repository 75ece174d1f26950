-- Requires `now`, log-streams.lua, and of a log: its key `L`, its bounds `c`, and the keys `N`, `O` and `F`.
local function keyOf(stream) return L .. ':s:' .. stream end
local function owns(stream)
  if not c.of then return true end
  local packed = redis.call('HGET', c.of .. ':m', stream)
  if not packed then return false end
  local deadline = cmsgpack.unpack(packed)[3]
  return deadline == 0 or deadline > now
end
local function endExpired()
  if not c.ttl then return end
  for _ = 1, 1000 do
    local stream = redis.call('ZRANGE', O, 0, 0)[1]
    local one = stream and statesOf(L, stream)
    if not one or one[DEADLINE] > now then return end
    endStream(L, stream)
  end
end
-- The number of the first entry of a segment, and the size of each; '-' if it was removed.
local function headOf(segment)
  local first, sizes = string.match(segment, '^(%d+) ([^\n]*)')
  return tonumber(first), sizes
end
local function account(one, all, entries, bytes)
  one[ENTRIES], one[BYTES] = one[ENTRIES] + entries, one[BYTES] + bytes
  all[ALL_ENTRIES], all[ALL_BYTES] = all[ALL_ENTRIES] + entries, all[ALL_BYTES] + bytes
end
-- Drops the oldest entries of a stream while it exceeds something.
local function dropOldest(stream, one, all, exceeds)
  while one[ENTRIES] > 0 and exceeds() do
    local oldest = redis.call('ZRANGE', keyOf(stream), 0, 0)[1]
    if not oldest then account(one, all, 0 - one[ENTRIES], 0 - one[BYTES]) break end
    local number, sizes = headOf(oldest)
    local isLeft = false
    for size in string.gmatch(sizes, '[^,]+') do
      if number >= one[FROM] then
        if size ~= '-' then
          isLeft = not exceeds()
          if isLeft then break end
          account(one, all, -1, 0 - tonumber(size))
        end
        one[FROM] = number + 1
      end
      number = number + 1
    end
    if not isLeft then redis.call('ZREMRANGEBYRANK', keyOf(stream), 0, 0) end
  end
  if c.of and one[ENTRIES] == 0 then redis.call('ZREM', F, stream) end
end
local function save(stream, one, all)
  redis.call('HSET', N, 's:' .. stream, cmsgpack.pack(one), 'all', cmsgpack.pack(all))
end
local function trimAll(stream, one, all)
  local function exceeds()
    return (c.count and (all[ALL_ENTRIES] > c.count or all[ALL_STREAMS] > c.count)) or (c.bytes and all[ALL_BYTES] > c.bytes)
  end
  while exceeds() do
    local victim = redis.call('ZRANGE', c.of and F or O, 0, 0)[1]
    if not victim then break end
    local its = victim == stream and one or statesOf(L, victim)
    if its[ENTRIES] > 0 then
      dropOldest(victim, its, all, exceeds)
      save(victim, its, all)
    elseif victim ~= stream then
      save(stream, one, all)
      endStream(L, victim)
      all = select(2, statesOf(L, stream))
    else break end
  end
  return all
end
-- Skipped entries have numbers, but would be dropped at once.
local function append(stream, text, sizes, own, skipped)
  local one, all = statesOf(L, stream)
  local isNew = not one
  if isNew then
    one = { 0, 1, 0, 0, own, 0 }
    all[ALL_STREAMS] = all[ALL_STREAMS] + 1
    all[ALL_BYTES] = all[ALL_BYTES] + own
  end
  local first, entries, bytes = one[LAST] + skipped + 1, 0, 0
  for size in string.gmatch(sizes, '%d+') do
    entries = entries + 1
    bytes = bytes + tonumber(size)
  end
  local segment = string.format('%d %s\n', first, sizes) .. text
  one[LAST] = one[LAST] + skipped + entries
  redis.call('ZADD', keyOf(stream), one[LAST], segment)
  account(one, all, entries, bytes)
  if c.ttl then one[DEADLINE] = now + c.ttl end
  all[ALL_USES] = all[ALL_USES] + 1
  if c.ttl or not c.of then redis.call('ZADD', O, all[ALL_USES], stream) end
  if c.of then redis.call('ZADD', F, all[ALL_USES], stream) end
  redis.call('SPUBLISH', L .. ':' .. stream, #segment <= 16384 and segment or string.format('%d', one[LAST]))
  dropOldest(stream, one, all, function()
    return one[ENTRIES] > c.perStream or (c.bytesPerStream and one[BYTES] > c.bytesPerStream)
  end)
  all = trimAll(stream, one, all)
  save(stream, one, all)
  return one[LAST]
end
