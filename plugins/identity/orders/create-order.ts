/** Makes the token of an order, and determines what a correct verifier says about it. */
import { randomUUID } from 'node:crypto'
import { KEY_CLIENT } from '../accounts/demo-clients.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { LOGOUT_TOKEN_LIFE_S, LOGOUT_TYP, logoutClaims } from '../logout/logout-token.ts'
import { OAuthError } from '../oauth/errors.ts'
import { registeredClaims } from '../tokens/token-response.ts'
import type { OrderedToken, TokenClaims, TokenHeader, TokenVerification } from '../types.ts'
import type { Order, TokenKind } from './order.ts'
import { encode, toDer } from './raw-jws.ts'
import { isSignedByClient, type OrderKeys, type OrderSigner } from './signer.ts'

/** Where an order is made. */
export interface OrderPlace {
  issuer: Issuer
  /** The identifier of the issuer, and the base URL of the service. */
  url: string
  baseUrl: string
  keys: OrderKeys
  /** Verifies an access token of the issuer for its default audience. */
  verify(token: string): Promise<TokenVerification>
}

const NESTED_LEVELS = 200
const WORKLOAD = 'spiffe://svc/ns/demo/sa/agent'
const EXAMPLE_REDIRECT_URI = 'http://localhost:3000/callback'

/** Makes the token; throws `invalid_request` for a combination that is not possible. */
export async function createOrder(order: Order, place: OrderPlace): Promise<OrderedToken> {
  const { issuer, url, baseUrl, keys } = place
  const signer = await keys.signer(order, issuer, baseUrl)
  const kind = kindOf(order, issuer, url, baseUrl)
  const header = overlay(
    { ...signer.header, typ: kind.typ, ...(order.kid !== undefined && { kid: order.kid }) },
    order.header ?? {},
  )
  const claims = padded(overlay({ ...kind.claims, ...shortClaims(order) }, order.claims ?? {}), order.bytes)
  const token = write(order, header, claims, signer)
  const verification = await place.verify(token)
  return { token, header, claims, accept: verification.valid, why: verification.valid ? null : verification.reason }
}

/** The usual claims and type of a kind, with the dates of the order. */
function kindOf(order: Order, issuer: Issuer, url: string, baseUrl: string): { typ: string; claims: TokenClaims } {
  const { access_token: settings } = issuer.settings
  const client = order.client_id ?? (isSignedByClient(order) ? KEY_CLIENT : 'svc')
  const user = issuer.users.find('demo') ?? issuer.users.list[0]
  const subject = user?.username ?? 'demo'
  const kinds: Record<TokenKind, () => { typ: string; audience: string; lifeS: number; more: TokenClaims }> = {
    access: () => ({
      typ: settings.typ,
      audience: settings.audience,
      lifeS: 3600,
      more: { client_id: client, scope: 'openid', ...(user !== undefined && { groups: user.groups }) },
    }),
    id: () => ({
      typ: 'JWT',
      audience: client,
      lifeS: 3600,
      more: { azp: client, auth_time: nowS(), preferred_username: subject },
    }),
    logout: () => ({
      typ: LOGOUT_TYP,
      audience: client,
      lifeS: LOGOUT_TOKEN_LIFE_S,
      more: logoutClaims(randomUUID()),
    }),
    'id-jag': () => ({
      typ: 'oauth-id-jag+jwt',
      audience: `${baseUrl}/oauth/i/full`,
      lifeS: 300,
      more: { client_id: client, scope: 'openid', ...(user !== undefined && { email: user.email }) },
    }),
    workload: () => ({ typ: 'JWT', audience: `${baseUrl}/oauth/i/full`, lifeS: 300, more: { sub: WORKLOAD } }),
    'client-assertion': () => ({ typ: 'JWT', audience: url, lifeS: 300, more: { iss: client, sub: client } }),
    'request-object': () => ({
      typ: 'oauth-authz-req+jwt',
      audience: url,
      lifeS: 300,
      more: {
        iss: client,
        sub: undefined,
        client_id: client,
        response_type: 'code',
        redirect_uri: EXAMPLE_REDIRECT_URI,
        scope: 'openid',
      },
    }),
  }
  const { typ, audience, lifeS, more } = kinds[order.kind ?? 'access']()
  return { typ, claims: { ...registeredClaims(url, subject, audience, lifeS), ...more } }
}

/** The claims that an order names directly. */
function shortClaims(order: Order): TokenClaims {
  const now = nowS()
  return {
    ...(order.subject !== undefined && { sub: order.subject }),
    ...(order.client_id !== undefined && { client_id: order.client_id }),
    ...(order.audience !== undefined && { aud: order.audience }),
    ...(order.scope !== undefined && { scope: order.scope }),
    ...(order.issuer !== undefined && { iss: order.issuer }),
    ...(order.issued_in !== undefined && { iat: now + order.issued_in }),
    ...(order.expires_in !== undefined && { exp: order.expires_in === null ? null : now + order.expires_in }),
    ...(typeof order.not_before_in === 'number' && { nbf: now + order.not_before_in }),
    ...((order.dpop_jkt !== undefined || order.mtls_x5t !== undefined) && {
      cnf: {
        ...(order.dpop_jkt !== undefined && { jkt: order.dpop_jkt }),
        ...(order.mtls_x5t !== undefined && { 'x5t#S256': order.mtls_x5t }),
      },
    }),
  }
}

function nowS(): number {
  return Math.floor(Date.now() / 1000)
}

function overlay(defaults: Record<string, unknown>, requested: Record<string, unknown>): Record<string, unknown> {
  const all = { ...defaults, ...requested }
  for (const name of Object.keys(all)) if (all[name] === null) delete all[name]
  return all
}

/** Adds a claim so that the claims have about this many bytes. */
function padded(claims: TokenClaims, bytes: number | undefined): TokenClaims {
  const missing = (bytes ?? 0) - Buffer.byteLength(JSON.stringify(claims))
  return missing > 0 ? { ...claims, padding: 'x'.repeat(missing) } : claims
}

/** The token in the form of the order. */
function write(order: Order, header: TokenHeader, claims: TokenClaims, signer: OrderSigner): string {
  const { shape = 'compact' } = order
  const compact = `${encode(JSON.stringify(header))}.${encode(payloadOf(shape, claims))}`
  const token = signed(compact, order, header, signer)
  const [head, payload, signature] = token.split('.') as [string, string, string]
  switch (shape) {
    case 'two-parts':
      return `${head}.${payload}`
    case 'four-parts':
      return `${token}.${signature}`
    case 'json':
      return JSON.stringify({ protected: head, payload, signature })
    case 'double':
      return signed(`${encode(JSON.stringify({ ...header, cty: 'JWT' }))}.${encode(token)}`, order, header, signer)
    case 'base64':
      return [head, payload, signature].map(part => Buffer.from(part, 'base64url').toString('base64')).join('.')
    case 'whitespace':
      return `${head}. ${payload}. ${signature}`
    default:
      return token
  }
}

function payloadOf(shape: string, claims: TokenClaims): string {
  const text = JSON.stringify(claims)
  const rest = text === '{}' ? '}' : `,${text.slice(1)}`
  if (shape === 'duplicate-claims') return `{"sub":"somebody-else"${rest}`
  if (shape === 'nested') return `{"nested":${'['.repeat(NESTED_LEVELS)}${']'.repeat(NESTED_LEVELS)}${rest}`
  return text
}

function signed(input: string, { wrong_signature: wrong }: Order, header: TokenHeader, signer: OrderSigner): string {
  const signature = signer.sign(input)
  if (wrong === 'empty') return `${input}.`
  if (wrong === 'truncated') return `${input}.${signature.subarray(0, -8).toString('base64url')}`
  if (wrong === 'padded') return `${input}.${signature.toString('base64url')}=`
  if (wrong === 'swapped')
    return `${input}.${signer.sign(`${input.split('.')[0]}.${encode('{}')}`).toString('base64url')}`
  if (wrong === 'der') {
    if (typeof header.alg !== 'string' || !header.alg.startsWith('ES'))
      throw new OAuthError('invalid_request', 'wrong_signature: der needs an algorithm with ECDSA')
    return `${input}.${toDer(signature).toString('base64url')}`
  }
  // Flip one bit.
  if (wrong === true && signature.length > 0) signature[0]! ^= 1
  return `${input}.${signature.toString('base64url')}`
}
