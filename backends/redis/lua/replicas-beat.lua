-- The version of this layout of keys, and the time in milliseconds after which a replica without a heartbeat is gone.
local LAYOUT, RECORD_MS = '1', ARGV[5]
local D = string.sub(KEYS[1], 1, -3)
local time = redis.call('TIME')
local own = KEYS[1] .. ':' .. ARGV[1]
local layout = redis.call('GET', D .. ':layout')
if layout and layout ~= LAYOUT then
  return redis.error_reply('LAYOUT the deployment has layout ' .. layout .. ', not ' .. LAYOUT)
end
local wasThere = redis.call('PEXPIRE', own, RECORD_MS)
if wasThere == 0 or ARGV[4] == '1' then
  redis.pcall('SET', own, ARGV[2], 'PX', RECORD_MS)
  redis.pcall('SADD', KEYS[1], ARGV[1])
  redis.pcall('SET', D .. ':layout', LAYOUT, 'NX')
  redis.pcall('SET', D .. ':e', ARGV[3], 'NX')
end
local life = 604800000
for _, key in ipairs({ KEYS[1], D .. ':layout', D .. ':e', D .. ':g', D .. ':v' }) do redis.call('PEXPIRE', key, life) end
local replicas = {}
for _, name in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local record = redis.call('GET', KEYS[1] .. ':' .. name)
  if record then
    replicas[#replicas + 1] = name
    replicas[#replicas + 1] = record
    replicas[#replicas + 1] = redis.call('PTTL', KEYS[1] .. ':' .. name)
  else
    redis.call('SREM', KEYS[1], name)
  end
end
return {
  string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)),
  redis.call('GET', D .. ':e') or '',
  redis.call('HGETALL', D .. ':v'),
  replicas,
  wasThere,
}
