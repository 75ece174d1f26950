/** When a context cache expires: `ttl` or `expireTime` of a request. */
import type { Engine } from '../../llm/types.ts'
import { field } from '../fields.ts'

const USUAL_MS = 3_600_000
const SECOND_MS = 1000
const MEMBERS = ['ttl', 'expireTime'] as const
type Member = (typeof MEMBERS)[number]

interface Asked {
  engine: Engine
  now: number
  /** A longer time to live becomes this one. */
  maxTtlMs: number
}

/** The time at which a new cache expires, in milliseconds since 1970. Default: in an hour. Throws for an invalid time. */
export function readExpiration(body: Record<string, unknown>, asked: Asked): number {
  return timeOf(body, asked) ?? asked.now + Math.min(USUAL_MS, asked.maxTtlMs)
}

/**
 * The new time of a change. `mask` names the member that counts; null: the only one in the body. Throws if the change has no
 * time, or would change something else.
 */
export function readChangedExpiration(body: Record<string, unknown>, mask: string | null, asked: Asked): number {
  const { engine } = asked
  const masked = (mask ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
    .map(name => (name === 'expire_time' ? 'expireTime' : name))
  const other = masked.find(name => !MEMBERS.includes(name as Member))
  if (other !== undefined)
    throw engine.badInput(
      `* UpdateCachedContentRequest.update_mask: only ttl and expire_time can be changed, got ${other.slice(0, 100)}`,
    )
  const counted = masked.length === 0 ? body : Object.fromEntries(masked.map(name => [name, field(engine, body, name)]))
  const time = timeOf(counted, asked)
  if (time === null) throw engine.badInput('* UpdateCachedContentRequest.cached_content: set ttl or expire_time')
  return time
}

/** Null: the request has no time. */
function timeOf(body: Record<string, unknown>, { engine, now, maxTtlMs }: Asked): number | null {
  const [ttl, expireTime] = MEMBERS.map(name => field(engine, body, name))
  if (ttl !== undefined && expireTime !== undefined)
    throw engine.badInput(
      "Invalid value at 'cached_content' (oneof), oneof field 'expiration' is already set. Cannot set 'expireTime'",
    )
  if (ttl === undefined && expireTime === undefined) return null
  const time = ttl === undefined ? instantOf(engine, expireTime) : now + durationOf(engine, ttl)
  if (time <= now) throw engine.badInput('* CachedContent.expire_time: the cache must expire in the future')
  return Math.min(time, now + maxTtlMs)
}

/** A duration as protobuf writes it in JSON: `3.5s`. */
function durationOf(engine: Engine, given: unknown): number {
  const seconds = typeof given === 'string' ? /^(-?\d{1,12}(?:\.\d{1,9})?)s$/.exec(given)?.[1] : undefined
  if (seconds === undefined)
    throw engine.badInput(
      `Invalid value at 'cached_content.ttl' (type.googleapis.com/google.protobuf.Duration), ${shown(given)}`,
    )
  return Math.round(Number(seconds) * SECOND_MS)
}

/** RFC 3339. */
function instantOf(engine: Engine, given: unknown): number {
  const time =
    typeof given === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i.test(given)
      ? Date.parse(given)
      : NaN
  if (Number.isNaN(time))
    throw engine.badInput(
      `Invalid value at 'cached_content.expire_time' (type.googleapis.com/google.protobuf.Timestamp), ${shown(given)}`,
    )
  return time
}

function shown(given: unknown): string {
  return (JSON.stringify(given) ?? 'null').slice(0, 100)
}
