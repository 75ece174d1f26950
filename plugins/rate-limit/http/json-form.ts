/** The messages of the service in proto3 JSON, as `/json` of the reference service takes and gives them. */
import type { Json, JsonObject } from 'svc/plugin'
import { asObject, below, InputProblem, unknownName } from 'svc/toolkit'
import { type Descriptor, type Entry, type Limit, type LimitCall, MAX_UINT32, UNIT_SECS, unitOf } from '../limit.ts'
import type { Answer } from '../limiter.ts'

/** The numbers of `RateLimitUnit`. */
const UNIT_NUMBERS = ['UNKNOWN', 'SECOND', 'MINUTE', 'HOUR', 'DAY', 'MONTH', 'YEAR']

/** Reads a `RateLimitRequest`; members may have their names in JSON or those of the definition. Throws an `InputProblem`. */
export function readRequest(value: unknown): LimitCall {
  const given = members(value, '', { domain: 'domain', descriptors: 'descriptors', hits_addend: 'hitsAddend' })
  return {
    domain: readText(given.domain, 'domain'),
    descriptors: readList(given.descriptors, 'descriptors').map((item, index) =>
      readDescriptor(item, below('descriptors', index)),
    ),
    hits: Math.max(1, readNumber(given.hitsAddend, 'hitsAddend', MAX_UINT32)),
  }
}

/** A `RateLimitResponse`; members with their default are left out. */
export function responseJson({ code, statuses, headers, requestHeaders, metadata, rawBody }: Answer): JsonObject {
  const values = (lines: Answer['headers']): Json => lines.map(([key, text]) => ({ key, value: text }))
  return {
    ...codeMember('overallCode', code),
    statuses: statuses.map(status => ({
      ...codeMember('code', status.code),
      ...(status.limit === null
        ? {}
        : {
            currentLimit: {
              ...(status.limit.requestsPerUnit === 0 ? {} : { requestsPerUnit: status.limit.requestsPerUnit }),
              ...(status.limit.unit === null ? {} : { unit: status.limit.unit }),
              ...(status.limit.name === '' ? {} : { name: status.limit.name }),
            },
          }),
      ...(status.remaining === 0 ? {} : { limitRemaining: status.remaining }),
      ...(status.resetSecs === null ? {} : { durationUntilReset: `${status.resetSecs}s` }),
    })),
    ...(headers.length === 0 ? {} : { responseHeadersToAdd: values(headers) }),
    ...(requestHeaders.length === 0 ? {} : { requestHeadersToAdd: values(requestHeaders) }),
    ...(rawBody === undefined ? {} : { rawBody: Buffer.from(rawBody).toString('base64') }),
    ...(metadata === undefined ? {} : { dynamicMetadata: metadata }),
  }
}

/** `UNKNOWN` is the default. */
function codeMember(name: string, code: Answer['code']): JsonObject {
  return code === 'UNKNOWN' ? {} : { [name]: code }
}

function readDescriptor(value: Json, at: string): Descriptor {
  const given = members(value, at, { entries: 'entries', limit: 'limit', hits_addend: 'hitsAddend' })
  return {
    entries: readList(given.entries, below(at, 'entries')).map((item, index): Entry => {
      const place = below(below(at, 'entries'), index)
      const entry = members(item, place, { key: 'key', value: 'value' })
      return { key: readText(entry.key, below(place, 'key')), value: readText(entry.value, below(place, 'value')) }
    }),
    limit: given.limit == null ? null : readLimit(given.limit, below(at, 'limit')),
    hits: given.hitsAddend == null ? null : readNumber(given.hitsAddend, below(at, 'hitsAddend'), MAX_UINT32),
  }
}

function readLimit(value: Json, at: string): Limit {
  const given = members(value, at, { requests_per_unit: 'requestsPerUnit', unit: 'unit' })
  const name =
    typeof given.unit === 'number' ? (UNIT_NUMBERS[given.unit] ?? '') : readText(given.unit, below(at, 'unit'))
  const unit = unitOf(name)
  if (unit === undefined)
    throw new InputProblem(below(at, 'unit'), `expected one of ${Object.keys(UNIT_SECS).join(', ')}`)
  const requestsPerUnit = readNumber(given.requestsPerUnit, below(at, 'requestsPerUnit'), MAX_UINT32)
  return { requestsPerUnit, unit, windowSecs: UNIT_SECS[unit], name: '' }
}

/** The members of a message by their names in JSON. `names` are those of the definition with those in JSON. */
function members(value: unknown, at: string, names: Readonly<Record<string, string>>): JsonObject {
  const given = asObject(value, at)
  const known = Object.values(names)
  const read: JsonObject = {}
  for (const [key, member] of Object.entries(given)) {
    const name = Object.hasOwn(names, key) ? names[key]! : key
    if (!known.includes(name)) throw new InputProblem(below(at, key), unknownName('member', key, known).message)
    read[name] = member
  }
  return read
}

function readText(value: Json | undefined, at: string): string {
  if (value == null) return ''
  if (typeof value === 'string') return value
  throw new InputProblem(at, 'expected a text')
}

function readList(value: Json | undefined, at: string): Json[] {
  if (value == null) return []
  if (Array.isArray(value)) return value
  throw new InputProblem(at, 'expected a list')
}

/** A number, or a text of digits, as 64-bit integers are in JSON. */
function readNumber(value: Json | undefined, at: string, max: number): number {
  if (value == null) return 0
  const number = typeof value === 'string' && /^\d{1,20}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0) return Math.min(number, max)
  throw new InputProblem(at, 'expected a whole number of at least 0')
}
