/** Parses HMAC credentials: `hmac username="..."` as gateways use it, or `Signature keyId="..."` (draft-cavage). */
import { readAuthorization } from 'svc/toolkit'
import type { FastifyRequest } from 'svc/plugin'
import { fieldValues } from '../fields.ts'

/** Credentials as presented, not verified. */
export interface HmacCredentials {
  /** The header that contained the credentials. */
  header: CredentialHeader
  username: string | undefined
  algorithm: string
  /** Lower case, in order. */
  signedHeaders: readonly string[]
  signature: string | undefined
}
/** A header that can contain credentials, as responses name it. */
export type CredentialHeader = 'Authorization' | 'Proxy-Authorization' | 'Signature'

/** Why no credentials could be read. */
export type CredentialProblem =
  | 'no hmac or Signature credentials'
  | 'malformed credentials'
  | 'duplicate parameter in the credentials'

const DEFAULT_ALGORITHM = 'hmac-sha256'
/** Limits the size of the signing string: `headers` could list one large header thousands of times. */
const MAX_SIGNED_HEADERS = 64
/** `name="value"` or `name=value`, then a comma or the end. */
const PARAMETER = /[ \t]*([\w-]+)[ \t]*=[ \t]*(?:"([^"]*)"|([^",\s]+))[ \t]*(,|$)/y

interface Located {
  header: CredentialHeader
  scheme: string
  text: string
}

/** The credentials of the request, or the reason why they can't be read. */
export function readHmacCredentials(request: FastifyRequest): HmacCredentials | CredentialProblem {
  const located = locate(request)
  if (located === null) return 'no hmac or Signature credentials'
  const parameters = parseParameters(located.text)
  if (typeof parameters === 'string') return parameters
  const signedHeaders = (parameters.get('headers') ?? 'date')
    .toLowerCase()
    .split(' ')
    .filter(name => name !== '')
  if (signedHeaders.length === 0 || signedHeaders.length > MAX_SIGNED_HEADERS) return 'malformed credentials'
  return {
    header: located.header,
    username: parameters.get(located.scheme === 'hmac' ? 'username' : 'keyid') || undefined,
    algorithm: (parameters.get('algorithm') ?? DEFAULT_ALGORITHM).toLowerCase(),
    signedHeaders,
    signature: parameters.get('signature') || undefined,
  }
}

function locate(request: FastifyRequest): Located | null {
  const { authorization, 'proxy-authorization': proxyAuthorization } = request.headers
  for (const [header, value] of [
    ['Authorization', authorization],
    ['Proxy-Authorization', proxyAuthorization],
  ] as const) {
    const found = readAuthorization(value)
    if (found?.scheme === 'hmac' || found?.scheme === 'signature')
      return { header, scheme: found.scheme, text: found.credentials }
  }
  // draft-cavage, 4: the bare header. With `Signature-Input` it is an RFC 9421 signature, which is another scheme.
  const bare = fieldValues(request, 'signature').join(', ')
  if (!/(?:^|,)[ \t]*keyid[ \t]*=/i.test(bare) || fieldValues(request, 'signature-input').length > 0) return null
  return { header: 'Signature', scheme: 'signature', text: bare }
}

/** The parameters by lower-case name. */
function parseParameters(text: string): Map<string, string> | CredentialProblem {
  const parameters = new Map<string, string>()
  PARAMETER.lastIndex = 0
  for (;;) {
    const match = PARAMETER.exec(text)
    if (match === null) return 'malformed credentials'
    const name = match[1]!.toLowerCase()
    if (parameters.has(name)) return 'duplicate parameter in the credentials'
    parameters.set(name, match[2] ?? match[3]!)
    if (match[4] === '') return parameters
  }
}
