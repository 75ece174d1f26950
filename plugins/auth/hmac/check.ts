/** Checks an HMAC signature. The checks run in a fixed order, and the first that fails gives the reason. */
import { createHmac } from 'node:crypto'
import { isSameSecret } from 'svc/toolkit'
import type { FastifyRequest } from 'svc/plugin'
import { unauthenticated, type Authenticated } from '../outcome.ts'
import { checkBodyDigest } from './body-digest.ts'
import { readHmacCredentials } from './credentials.ts'
import { parseHttpDate } from './http-date.ts'
import { buildSigningString, fieldText } from './signing-string.ts'

const CHALLENGE = 'hmac realm="svc", headers="date request-line"'
const ALGORITHMS = new Map([
  ['hmac-sha1', 'sha1'],
  ['hmac-sha256', 'sha256'],
  ['hmac-sha384', 'sha384'],
  ['hmac-sha512', 'sha512'],
])

/** The expected signer, and the allowed age of the signature. */
export interface HmacExpectation {
  username: string
  secret: string
  /** In seconds; 0 disables the check. */
  clockSkewS: number
}

/** The signer and what was signed; throws a 401 with the reason. `now` is in milliseconds since 1970. */
export function checkHmac(
  request: FastifyRequest,
  body: Buffer,
  { username, secret, clockSkewS }: HmacExpectation,
  now: number,
): Authenticated {
  const credentials = readHmacCredentials(request)
  if (typeof credentials === 'string') throw unauthorized(credentials)
  const { header, algorithm, signedHeaders, signature } = credentials
  if (credentials.username === undefined) throw unauthorized('username or keyId is missing')
  if (!isSameSecret(Buffer.from(credentials.username, 'latin1'), username)) throw unauthorized('unknown username')
  const hash = ALGORITHMS.get(algorithm)
  if (hash === undefined) throw unauthorized('unsupported algorithm')
  if (signature === undefined) throw unauthorized('signature is missing')
  const dateHeader = checkDate(request, clockSkewS, now)
  const signingString = buildSigningString(request, signedHeaders)
  if ('missing' in signingString) throw unauthorized(`signed header is missing: ${signingString.missing}`)

  // Node decodes header bytes as Latin-1, so encoding as Latin-1 restores the bytes that were signed.
  const signedBytes = Buffer.from(signingString.text, 'latin1')
  const shown = signedBytes.toString()
  const isDigestSigned = signedHeaders.includes('digest')
  if (isDigestSigned) checkDigest(request, body, shown)
  const expected = createHmac(hash, secret).update(signedBytes).digest()
  if (!isSameSecret(Buffer.from(signature, 'base64'), expected))
    throw unauthorized('signature mismatch', { signing_string: shown })
  return {
    authenticated: true,
    auth_type: 'hmac',
    username,
    header,
    claims: {
      algorithm,
      signed_headers: signedHeaders.join(' '),
      signing_string: shown,
      date_header: dateHeader,
      clock_skew: clockSkewS,
      digest_verified: isDigestSigned,
      credential_header: header,
    },
  }
}

/** The name of the header with the date: `Date`, or `X-Date` for clients that can't set `Date`. */
function checkDate(request: FastifyRequest, clockSkewS: number, now: number): 'date' | 'x-date' {
  const date = fieldText(request, 'date')
  const text = date ?? fieldText(request, 'x-date')
  if (text === null) throw unauthorized('no Date or X-Date header')
  const time = parseHttpDate(text)
  if (time === null) throw unauthorized('the date is not a valid HTTP date')
  if (clockSkewS > 0 && Math.abs(now - time) > clockSkewS * 1000)
    throw unauthorized(`the date differs from the server time by more than ${clockSkewS} s`)
  return date === null ? 'x-date' : 'date'
}

function checkDigest(request: FastifyRequest, body: Buffer, signingString: string): void {
  const result = checkBodyDigest(fieldText(request, 'digest') ?? '', body)
  if (result === 'unusable') throw unauthorized('no supported digest (SHA-256 or SHA-512)')
  if (result === 'mismatch') throw unauthorized('body digest mismatch', { signing_string: signingString })
}

function unauthorized(reason: string, more: Record<string, unknown> = {}): Error {
  return unauthenticated(`unauthorized: ${reason}`, CHALLENGE, more)
}
