/**
 * Lua scripts of limits: plans and API keys are counted for all replicas together.
 *
 * | Key | Type | Content |
 * |---|---|---|
 * | `Q:<id>` | hash | one set of counters, with the fields below |
 * | `Q:<group>` | sorted set | the ids of a group by last use |
 *
 * | Field | Content |
 * |---|---|
 * | `start`, `finish` | the period, in milliseconds |
 * | `requests`, `egress` | used in the period |
 * | `tokens`, `filled`, `rate` | the token bucket, when it was filled by the clock of the server, and its rate and size |
 * | `f:<replica>`, `s:<replica>` | requests in flight and open streams of a replica |
 * | `x:<limit>` | rejections in the period |
 * | `seen` | time of the last request |
 */
import { defineScript } from './script.ts'

/** The most sets of counters in a group. */
const MAX_IN_GROUP = 10_000
const IDLE_MS = 3_600_000
/** Number of sets evicted at once. */
const EVICTION_BATCH = 1_000

/** What a script gets about a set of counters. Members that are absent do not apply. */
export interface QuotaSubject {
  id: string
  group?: string
  /** The wall clock and its period, in milliseconds. */
  wall: number
  start: number
  finish: number
  /** The life of the counters in milliseconds. */
  life: number
  /** What this replica knows, in case the server has lost it. */
  known: { requests: number; egress: number }
  /** Requests per second, and the size of the bucket. */
  rate?: { rps: number; burst: number }
  limits?: { requests?: number; egress?: number; concurrency?: number; streams?: number }
}

/** What a request asks of a set of counters. */
export interface QuotaClaim extends QuotaSubject {
  /** In this order. */
  checks: ('requests' | 'egress' | 'rps' | 'concurrency' | 'streams')[]
  /** Whether it counts as a request. */
  isCounted: boolean
  takesToken: boolean
  slots?: 'flight' | 'stream'
  /** Whether rejections and the time of use are noted. */
  isNoted?: boolean
}

/** What a replica adds to a set of counters. */
export interface QuotaChange extends QuotaSubject {
  /** Requests by the start of their period. */
  requests: { start: number; by: number }[]
  egress: number
  tokens: number
  flights: number
  streams: number
  /** Slots replace those that were reported before. */
  isAbsolute: boolean
}

/** KEYS[1] is `Q:u`, ARGV[1] has `replica`, `living` and more as JSON. */
const PRELUDE = `
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
  if not r.isNew or redis.call('ZCARD', order) <= ${MAX_IN_GROUP} then return end
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
  drop(redis.call('ZRANGEBYSCORE', order, '-inf', now - ${IDLE_MS}, 'LIMIT', 0, ${EVICTION_BATCH}))
  if dropped == 0 then drop(redis.call('ZRANGE', order, 0, ${EVICTION_BATCH - 1})) end
end
local function stateOf(r)
  return { string.format('%.0f', r.start), string.format('%.0f', r.requests), string.format('%.0f', r.egress),
    math.floor(r.tokens), r.flights, r.streams }
end
`

/**
 * `claims` (`QuotaClaim`): nothing is taken unless all pass. Returns the number of the claim that fails, from 1, its limit, and
 * the state of each; or 0 and an empty text.
 */
export const ADMIT = defineScript(
  PRELUDE,
  `
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
`,
)

/** `changes` (`QuotaChange`). Returns the state of each. */
export const CHANGE = defineScript(
  PRELUDE,
  `
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
`,
)

/** `subjects` (`QuotaSubject`). Returns the state of each with all slots, its rejections, and when it was seen. */
export const READ = defineScript(
  PRELUDE,
  `
local states = {}
for i, s in ipairs(input.subjects) do
  local r = recordOf(s)
  r.flights, r.streams = r.ownFlights + r.flights, r.ownStreams + r.streams
  local noted = r.isOver and {} or redis.call('HMGET', r.key, 'x:rps', 'x:requests', 'seen')
  states[i] = { stateOf(r), noted[1] or '0', noted[2] or '0', noted[3] or '' }
end
return states
`,
)
