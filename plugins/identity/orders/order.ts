/** An order: what a debug token is to look like. */
import { isNestedWithin, isRecord } from 'svc/toolkit'
import { KEY_PAIR_ALGORITHMS, SECRET_ALGORITHMS } from '../jwt/algorithms.ts'
import { MAX_NESTING } from '../jwt/compact-jwt.ts'
import { OAuthError } from '../oauth/errors.ts'
import {
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  type Shape,
  ShapeError,
  suggestion,
  text,
  type ValueOf,
} from '../settings/shape.ts'
import { PRESETS } from './presets.ts'

/** About thirty years, in seconds. */
const MAX_OFFSET_S = 1_000_000_000
/** Maximum size of padded claims. */
export const MAX_BYTES = 65_536

/** What the token is for: its usual claims and type. */
export const KINDS = ['access', 'id', 'logout', 'id-jag', 'workload', 'client-assertion', 'request-object'] as const
/** What the token is for. */
export type TokenKind = (typeof KINDS)[number]

/** The spellings of `none` that libraries were found to accept. */
export const NONE_ALGORITHMS = ['none', 'None', 'nOnE'] as const
const ALGORITHMS = [...KEY_PAIR_ALGORITHMS, ...SECRET_ALGORITHMS, ...NONE_ALGORITHMS] as const

/** What signs the token. */
export const KEYS = [
  'current',
  'previous',
  'next',
  'unpublished',
  'foreign',
  'other-issuer',
  'hs-confusion',
  'hs-confusion-jwk',
  'empty',
  'embedded',
  'jku',
  'x5c',
] as const
/** What signs the token. */
export type OrderedKey = (typeof KEYS)[number]

const SIGNATURES = ['empty', 'truncated', 'padded', 'swapped', 'der'] as const

/** The form in which the token is sent. */
export const FORMS = [
  'compact',
  'two-parts',
  'four-parts',
  'json',
  'double',
  'base64',
  'whitespace',
  'duplicate-claims',
  'nested',
] as const

const anyObject: Shape<Record<string, unknown>> = {
  schema: { type: 'object' },
  read(value, at) {
    if (!isRecord(value)) throw new ShapeError(at, `${at} must be a JSON object`)
    return value
  },
}

/** A value of a shape, or null. */
function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    schema: { anyOf: [shape.schema, { type: 'null' }] },
    read: (value, at) => (value === null ? null : shape.read(value, at)),
  }
}

/** A value of one of two shapes, which differ in type. */
function either<A, B>(first: Shape<A>, isFirst: (value: unknown) => boolean, second: Shape<B>): Shape<A | B> {
  return {
    schema: { anyOf: [first.schema, second.schema] },
    read: (value, at) => (isFirst(value) ? first.read(value, at) : second.read(value, at)),
  }
}

const name = text({ max: 2048 })
const seconds = integer(-MAX_OFFSET_S, MAX_OFFSET_S)

const order = object({
  preset: optional(oneOf(Object.keys(PRESETS))),
  kind: optional(oneOf(KINDS)),
  subject: optional(name),
  client_id: optional(name),
  audience: optional(either(list(name, { max: 20 }), Array.isArray, name)),
  scope: optional(text({ max: 4096 })),
  issuer: optional(name),
  claims: optional(anyObject),
  header: optional(anyObject),
  algorithm: optional(oneOf(ALGORITHMS)),
  key: optional(oneOf(KEYS)),
  kid: optional(nullable(text({ max: 1024 }))),
  expires_in: optional(nullable(seconds)),
  not_before_in: optional(nullable(seconds)),
  issued_in: optional(seconds),
  wrong_signature: optional(either(flag, value => typeof value === 'boolean', oneOf(SIGNATURES))),
  dpop_jkt: optional(text({ max: 256 })),
  mtls_x5t: optional(text({ max: 256 })),
  bytes: optional(integer(1, MAX_BYTES)),
  shape: optional(oneOf(FORMS)),
})

/** An order. Absent members have the defaults of its kind. */
export type Order = ValueOf<typeof order>

/** The JSON Schema of an order. */
export const ORDER_SCHEMA = order.schema

/**
 * Validates an order and lays it over its preset; throws `invalid_request`. A misspelled member must not result in a
 * valid token. `maxBytes` bounds `bytes`; a preset gets at most that.
 */
export function parseOrder(value: unknown, maxBytes = MAX_BYTES): Order {
  try {
    if (!isRecord(value)) throw new ShapeError('', 'the body must be a JSON object')
    if (!isNestedWithin(value, MAX_NESTING))
      throw new ShapeError('', `the body is nested deeper than ${MAX_NESTING} levels`)
    const own = order.read(value, '')
    if ((own.bytes ?? 0) > maxBytes) throw new ShapeError('bytes', `expected a whole number from 1 to ${maxBytes}`)
    if (own.preset === undefined) return own
    const { bytes, ...preset } = order.read(PRESETS[own.preset]!.order, '')
    return { ...preset, ...(bytes !== undefined && { bytes: Math.min(bytes, maxBytes) }), ...own }
  } catch (error) {
    throw error instanceof ShapeError ? invalidOrder(error) : error
  }
}

/** The error for an order that can't be used. */
export function invalidOrder({ at, message, unknown, didYouMean }: ShapeError): OAuthError {
  const details = {
    ...(unknown !== undefined && { unknown }),
    ...(didYouMean !== undefined && { did_you_mean: didYouMean }),
  }
  if (unknown === undefined)
    return new OAuthError('invalid_request', at === '' ? message : `${at}: ${message}`, { details })
  const guess = didYouMean === undefined ? '' : `; did you mean ${didYouMean}`
  return new OAuthError('invalid_request', `${message}${guess}`, { details })
}

/** The names of presets in a comma-separated list; throws `invalid_request` for an unknown one. */
export function parsePresets(given: string | undefined): string[] {
  const known = Object.keys(PRESETS)
  if (given === undefined) return known
  const names = given.split(',').map(part => part.trim())
  const unknown = names.find(one => !known.includes(one))
  if (unknown === undefined) return names
  throw invalidOrder(
    new ShapeError('presets', 'unknown preset', { unknown: unknown.slice(0, 200), ...suggestion(unknown, known) }),
  )
}
