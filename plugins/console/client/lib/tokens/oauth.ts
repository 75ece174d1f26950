/** OAuth 2.0 client: token requests, PKCE, and checks of token signatures. */
import { send, type Sent } from '../instance/gateway.ts'
import { mediaTypeOf, isJsonType, parseJson, type NameValue } from '../protocol/http.ts'
import { canSign } from '../protocol/ids.ts'
import { base64UrlOf, type DecodedJwt } from './jwt.ts'
import type { Gateway } from '../shell/storage.ts'

export interface Client {
  id: string
  secret: string
}

/** The demo client of every instance. */
export const DEMO_CLIENT: Client = { id: 'svc', secret: 'svc-secret' }

/** A request that the page sent, and its response. */
export interface SentExchange {
  what: string
  sent: Sent
  status: number
  headers: NameValue[]
  /** JSON, or text. */
  body: unknown
}

/** Sends a form with the credentials of the client as Basic auth, or only its ID if it has no secret. */
export async function postForm(
  what: string,
  path: string,
  fields: Record<string, string>,
  client: Client | null,
  gateway: Gateway | null,
): Promise<SentExchange> {
  const form = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ''))
  const headers = [{ name: 'Content-Type', value: 'application/x-www-form-urlencoded' }]
  if (client !== null && client.secret !== '')
    headers.push({ name: 'Authorization', value: `Basic ${basicOf(client)}` })
  else if (client !== null) form.set('client_id', client.id)
  return sendAndRead(what, { method: 'POST', path, headers, body: form.toString(), gateway })
}

export async function sendAndRead(what: string, request: Parameters<typeof send>[0]): Promise<SentExchange> {
  const { sent, response } = await send(request)
  const text = await response.text()
  const { headers } = sent.response!
  return {
    what,
    sent,
    status: response.status,
    headers,
    body: isJsonType(mediaTypeOf(headers)) ? (parseJson(text) ?? text) : text,
  }
}

/** Basic credentials; both parts are form-encoded first (RFC 6749, 2.3.1). */
function basicOf({ id, secret }: Client): string {
  return btoa([id, secret].map(part => encodeURIComponent(part).replace(/%20/g, '+')).join(':'))
}

/** The challenge of a verifier (RFC 7636, 4.2); `plain` on pages where browsers do not allow hashing. */
export async function challengeOf(verifier: string): Promise<{ challenge: string; method: 'S256' | 'plain' }> {
  if (!canSign()) return { challenge: verifier, method: 'plain' }
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { challenge: base64UrlOf(new Uint8Array(digest)), method: 'S256' }
}

/** The secret of all HS256 tokens of an instance, public on purpose. */
const DEMO_SECRET = 'svc-demo-secret-do-not-use-in-production'

export type SignatureCheck = { kind: 'valid' | 'invalid'; by: string } | { kind: 'unknown'; why: string }

/** Checks the signature of a token with the provider's published keys; HS256 with the demo secret. */
export async function checkSignature(
  { header, signingInput, signature }: DecodedJwt,
  readKeys: () => Promise<{ keys: (JsonWebKey & { kid?: string })[] }>,
): Promise<SignatureCheck> {
  const { alg, kid } = header
  if (alg === 'none') return { kind: 'unknown', why: 'The token is not signed.' }
  if (alg !== 'RS256' && alg !== 'HS256')
    return { kind: 'unknown', why: `The provider does not use the algorithm ${String(alg)}.` }
  if (!canSign())
    return {
      kind: 'unknown',
      why: 'Browsers can check signatures only on HTTPS and localhost. Use introspection instead.',
    }
  const data = new TextEncoder().encode(signingInput)
  if (alg === 'HS256') {
    const key = await crypto.subtle.importKey(
      'raw',
      new TextEncoder().encode(DEMO_SECRET),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    )
    return {
      kind: (await crypto.subtle.verify('HMAC', key, signature, data)) ? 'valid' : 'invalid',
      by: 'the demo secret',
    }
  }
  const jwk = (await readKeys()).keys.find(candidate => candidate.kid === kid)
  if (jwk === undefined)
    return { kind: 'unknown', why: `/oauth/jwks has no key ${typeof kid === 'string' ? kid : 'without a kid'}.` }
  const key = await crypto.subtle.importKey('jwk', jwk, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, [
    'verify',
  ])
  return {
    kind: (await crypto.subtle.verify('RSASSA-PKCS1-v1_5', key, signature, data)) ? 'valid' : 'invalid',
    by: `key ${String(kid)} of /oauth/jwks`,
  }
}
