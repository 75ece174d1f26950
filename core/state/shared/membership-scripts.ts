/**
 * Lua scripts of a deployment:
 *
 * | Key | Type | Content |
 * |---|---|---|
 * | `D:r` | set | names of replicas |
 * | `D:r:<name>` | string | record of a replica; expires without a heartbeat |
 * | `D:e` | string | epoch: another one means that the store has lost its data |
 * | `D:g` | hash | value of each register |
 * | `D:v` | hash | version of each register |
 */
import { defineScript } from './script.ts'

/** A replica without a heartbeat for this time is gone. */
export const RECORD_MS = 10_000
/** The version of this layout of keys. */
const LAYOUT = '1'

/**
 * KEYS[1] is `D:r`. Name, record, a random epoch, whether the record has changed. Returns the time in milliseconds, the epoch,
 * the versions of all registers, the records of all living replicas with their remaining time, and whether its own record had
 * been removed. Rejects if the deployment has another layout.
 */
export const BEAT = defineScript(`
local D = string.sub(KEYS[1], 1, -3)
local time = redis.call('TIME')
local own = KEYS[1] .. ':' .. ARGV[1]
local layout = redis.call('GET', D .. ':layout')
if layout and layout ~= '${LAYOUT}' then
  return redis.error_reply('LAYOUT the deployment has layout ' .. layout .. ', not ${LAYOUT}')
end
local wasThere = redis.call('PEXPIRE', own, ${RECORD_MS})
if wasThere == 0 or ARGV[4] == '1' then
  redis.pcall('SET', own, ARGV[2], 'PX', ${RECORD_MS})
  redis.pcall('SADD', KEYS[1], ARGV[1])
  redis.pcall('SET', D .. ':layout', '${LAYOUT}', 'NX')
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
`)

/** KEYS[1] is `D:r`. Name. Removes a replica. */
export const LEAVE = defineScript(`
redis.call('SREM', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[1] .. ':' .. ARGV[1])
`)

/** KEYS[1] is `D:g`. Register. Returns its value and version, or null. */
export const READ_REGISTER = defineScript(`
local D = string.sub(KEYS[1], 1, -3)
local value = redis.call('HGET', KEYS[1], ARGV[1])
return value and { value, redis.call('HGET', D .. ':v', ARGV[1]) }
`)

/**
 * KEYS[1] is `D:g`. Register, value, expected version (0: absent), new version. Returns value and version of the register,
 * and before them 1 if they are the given ones.
 */
export const WRITE_REGISTER = defineScript(`
local D = string.sub(KEYS[1], 1, -3)
local value = redis.call('HGET', KEYS[1], ARGV[1])
local version = value and redis.call('HGET', D .. ':v', ARGV[1]) or '0'
if version ~= ARGV[3] then return { 0, value, version } end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', D .. ':v', ARGV[1], ARGV[4])
return { 1, ARGV[2], ARGV[4] }
`)
