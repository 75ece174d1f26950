/** Debug tokens: any claims, header, dates and signature, valid or not, to test what a gateway rejects. */
import { isNestedWithin, isRecord, nearest } from 'svc/plugin'
import { MAX_NESTING } from './compact-jwt.ts'
import { OAuthError } from '../errors.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { macOf, signInput } from '../keys/algorithms.ts'
import { registeredClaims } from './token-response.ts'
import { DEMO_SECRET, signingInput } from './tokens.ts'
import type { TokenClaims, TokenHeader } from '../types.ts'

const ALGORITHMS = ['RS256', 'HS256', 'none'] as const
const MEMBERS = ['claims', 'header', 'algorithm', 'expires_in', 'not_before_in', 'wrong_signature'] as const
/** Maximum edit distance for suggestions. */
const MAX_EDITS = 3
/** About thirty years. */
const MAX_OFFSET_S = 1_000_000_000

/** The requested token, with defaults. */
export interface DebugTokenSpec {
  /** Merged over the default claims; null removes a claim. */
  claims: Record<string, unknown>
  /** Merged over the default header; null removes a member. Can contain an `alg` that differs from the signature. */
  header: Record<string, unknown>
  /** The signature algorithm. */
  algorithm: (typeof ALGORITHMS)[number]
  /** Seconds until `exp`; negative for an expired token. */
  expiresInS: number
  /** Seconds until `nbf`; null for no `nbf`. */
  notBeforeInS: number | null
  wrongSignature: boolean
}

/** Validates the parsed JSON body; throws `invalid_request`. */
export function parseDebugTokenSpec(value: unknown): DebugTokenSpec {
  const spec = new Map(Object.entries(readObject('the body', value)))
  if (!isNestedWithin(value, MAX_NESTING)) throw invalid(`the body is nested deeper than ${MAX_NESTING} levels`)
  for (const name of spec.keys()) if (!MEMBERS.some(known => known === name)) throw unknownMember(name)
  const algorithm = ALGORITHMS.find(known => known === (spec.get('algorithm') ?? 'RS256'))
  if (algorithm === undefined) throw invalid(`algorithm must be one of ${ALGORITHMS.join(', ')}`)
  const wrongSignature = spec.get('wrong_signature') ?? false
  if (typeof wrongSignature !== 'boolean') throw invalid('wrong_signature must be true or false')
  return {
    claims: readObject('claims', spec.get('claims') ?? {}),
    header: readObject('header', spec.get('header') ?? {}),
    algorithm,
    expiresInS: readSeconds('expires_in', spec.get('expires_in')) ?? 3600,
    notBeforeInS: readSeconds('not_before_in', spec.get('not_before_in')),
    wrongSignature,
  }
}

/** A misspelled member must not result in a valid token. */
function unknownMember(name: string): OAuthError {
  const meant = nearest(name, MEMBERS, MAX_EDITS)
  const details = { unknown: name.slice(0, 200), ...(meant === undefined ? {} : { did_you_mean: meant }) }
  return new OAuthError(
    'invalid_request',
    meant === undefined ? 'unknown member' : `unknown member (did you mean ${meant}?)`,
    { details },
  )
}

/** Creates the token and returns it with its header and claims. */
export async function createDebugToken(
  spec: DebugTokenSpec,
  issuer: Issuer,
  url: string,
): Promise<{ token: string; header: TokenHeader; claims: TokenClaims }> {
  const now = Math.floor(Date.now() / 1000)
  const key = (await issuer.keys.signing('RS256'))!
  const header = overlay(
    { alg: spec.algorithm, typ: 'at+jwt', ...(spec.algorithm === 'RS256' && { kid: key.kid }) },
    spec.header,
  )
  const claims = overlay(
    {
      ...registeredClaims(url, 'demo', 'svc', 3600),
      client_id: 'svc',
      scope: 'openid',
      exp: now + spec.expiresInS,
      ...(spec.notBeforeInS !== null && { nbf: now + spec.notBeforeInS }),
    },
    spec.claims,
  )
  const input = signingInput(header, claims)
  const signature =
    spec.algorithm === 'none'
      ? Buffer.alloc(0)
      : spec.algorithm === 'HS256'
        ? macOf('HS256', DEMO_SECRET, input)
        : signInput('RS256', key.privateKey, input)
  // Flip one bit.
  if (spec.wrongSignature && signature.length > 0) signature[0]! ^= 1
  return { token: `${input}.${signature.toString('base64url')}`, header, claims }
}

function overlay(defaults: Record<string, unknown>, requested: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...defaults, ...requested }).filter(([, value]) => value !== null))
}

function readObject(name: string, value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw invalid(`${name} must be a JSON object`)
  return value
}

function readSeconds(name: string, value: unknown): number | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > MAX_OFFSET_S)
    throw invalid(`${name} must be an integer number of seconds from -${MAX_OFFSET_S} to ${MAX_OFFSET_S}`)
  return value
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_request', description)
}
