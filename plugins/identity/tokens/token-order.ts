/** Tokens to order: any claims, header, dates and signature, right or wrong, for trying what a gateway refuses. */
import { webcrypto } from 'node:crypto'
import { isNestedWithin, isRecord, nearest } from 'svc/plugin'
import { MAX_NESTING } from './compact-jwt.ts'
import { OAuthError } from '../errors.ts'
import { RSA_KEY_ID } from './signing-keys.ts'
import type { SigningKeys } from './signing-keys.ts'
import { registeredClaims } from './token-response.ts'
import type { TokenClaims, TokenHeader } from '../types.ts'

const ALGORITHMS = ['RS256', 'HS256', 'none'] as const
const MEMBERS = ['claims', 'header', 'algorithm', 'expires_in', 'not_before_in', 'wrong_signature'] as const
/** Edits between a misspelt member and the one that is meant. */
const MAX_EDITS = 3
/** About thirty years, in both directions. */
const MAX_OFFSET_S = 1_000_000_000

/** What is ordered; everything may be left out. */
export interface TokenOrder {
  /** Laid over the usual claims; null takes one out. */
  claims: Record<string, unknown>
  /** Laid over the usual header, `alg` too, which then lies; null takes a member out. */
  header: Record<string, unknown>
  /** With what it is signed. */
  algorithm: (typeof ALGORITHMS)[number]
  /** Seconds from now to `exp`; negative: expired already. */
  expiresInS: number
  /** Seconds from now to `nbf`; null: no `nbf`. */
  notBeforeInS: number | null
  wrongSignature: boolean
}

/** Checks an order as sent; throws `invalid_request`. */
export function checkTokenOrder(value: unknown): TokenOrder {
  const order = new Map(Object.entries(readObject('the body', value)))
  if (!isNestedWithin(value, MAX_NESTING)) throw invalid(`the body is nested deeper than ${MAX_NESTING} levels`)
  for (const name of order.keys()) if (!MEMBERS.some(known => known === name)) throw unknownMember(name)
  const algorithm = ALGORITHMS.find(known => known === (order.get('algorithm') ?? 'RS256'))
  if (algorithm === undefined) throw invalid(`algorithm must be ${ALGORITHMS.join(', ')}`)
  const wrongSignature = order.get('wrong_signature') ?? false
  if (typeof wrongSignature !== 'boolean') throw invalid('wrong_signature must be true or false')
  return {
    claims: readObject('claims', order.get('claims') ?? {}),
    header: readObject('header', order.get('header') ?? {}),
    algorithm,
    expiresInS: readSeconds('expires_in', order.get('expires_in')) ?? 3600,
    notBeforeInS: readSeconds('not_before_in', order.get('not_before_in')),
    wrongSignature,
  }
}

/** A misspelt order must not give a good token. */
function unknownMember(name: string): OAuthError {
  const meant = nearest(name, MEMBERS, MAX_EDITS)
  const details = { unknown: name.slice(0, 200), ...(meant === undefined ? {} : { did_you_mean: meant }) }
  return new OAuthError(
    'invalid_request',
    meant === undefined ? 'unknown member' : `unknown member; did you mean ${meant}`,
    { details },
  )
}

/** Makes the token, with the header and claims that are in it. */
export async function makeToken(
  order: TokenOrder,
  issuer: string,
  keys: SigningKeys,
): Promise<{ token: string; header: TokenHeader; claims: TokenClaims }> {
  const now = Math.floor(Date.now() / 1000)
  const header = overlay(
    { alg: order.algorithm, typ: 'at+jwt', ...(order.algorithm === 'RS256' && { kid: RSA_KEY_ID }) },
    order.header,
  )
  const claims = overlay(
    {
      ...registeredClaims(issuer, 'demo', 'svc'),
      client_id: 'svc',
      scope: 'openid',
      exp: now + order.expiresInS,
      ...(order.notBeforeInS !== null && { nbf: now + order.notBeforeInS }),
    },
    order.claims,
  )
  const input = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`
  const signature = await sign(input, order.algorithm, keys)
  // One bit is enough.
  if (order.wrongSignature && signature.length > 0) signature[0]! ^= 1
  return { token: `${input}.${signature.toString('base64url')}`, header, claims }
}

/** By hand: a library refuses to sign what is wrong on purpose. */
async function sign(input: string, algorithm: TokenOrder['algorithm'], keys: SigningKeys): Promise<Buffer> {
  if (algorithm === 'none') return Buffer.alloc(0)
  const key = keys.signing[algorithm]
  return Buffer.from(await webcrypto.subtle.sign(key.algorithm.name, key, Buffer.from(input)))
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function overlay(usual: Record<string, unknown>, wanted: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...usual, ...wanted }).filter(([, value]) => value !== null))
}

function readObject(name: string, value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw invalid(`${name} must be a JSON object`)
  return value
}

function readSeconds(name: string, value: unknown): number | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > MAX_OFFSET_S)
    throw invalid(`${name} must be a whole number of seconds from -${MAX_OFFSET_S} to ${MAX_OFFSET_S}`)
  return value
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_request', description)
}
