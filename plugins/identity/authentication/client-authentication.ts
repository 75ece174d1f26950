/** Client authentication at the endpoints for clients (RFC 6749, 2.3; RFC 7523, 2.2; RFC 8705, 2.1). */
import { type FastifyRequest, type Svc } from 'svc/plugin'
import { readAuthorization, readBasicCredentials } from 'svc/toolkit'
import { isClientSecret } from '../accounts/clients.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { JwtProblem } from '../jwt/foreign-jwt.ts'
import { acceptedMethods, type AuthMethod } from '../oauth/auth-methods.ts'
import { isSameName } from '../oauth/distinguished-name.ts'
import { OAuthError } from '../oauth/errors.ts'
import type { Parameters } from '../oauth/parameters.ts'
import type { Client } from '../stores/records.ts'
import { hasAssertion, verifyAssertion } from './client-assertion.ts'

interface ClientCredentials {
  id: string
  /** Null if absent. */
  secret: string | null
}

/** A request that a client may authenticate. */
export interface ClientRequest {
  request: FastifyRequest
  parameters: Parameters
  issuer: Issuer
  /** The identifier of the issuer. */
  url: string
}

/**
 * Authenticates the client. One that registered a key, a JWT with its secret or a certificate must use that; any other
 * uses its secret in any way. A public client needs only its id. Throws `invalid_client`, or `invalid_request` if the
 * request uses two methods.
 */
export async function authenticateClient(asked: ClientRequest, svc: Pick<Svc, 'pki'>): Promise<Client> {
  const { client, method } = hasAssertion(asked.parameters) ? await byAssertion(asked) : await bySecret(asked, svc)
  const accepted = acceptedMethods(asked.issuer.settings)
  if (!accepted.includes(method)) throw failed(`this issuer requires one of the methods ${accepted.join(', ')}`)
  return client
}

async function byAssertion({ request, parameters, issuer, url }: ClientRequest) {
  const isBasic = readAuthorization(request.headers.authorization)?.scheme === 'basic'
  if (isBasic || parameters.has('client_secret'))
    throw new OAuthError('invalid_request', 'send a client assertion or a client secret, not both')
  try {
    return await verifyAssertion({ request, parameters, issuer, url })
  } catch (error) {
    throw error instanceof JwtProblem ? failed(`the client assertion ${error.message}`) : error
  }
}

async function bySecret(
  { request, parameters, issuer, url }: ClientRequest,
  { pki }: Pick<Svc, 'pki'>,
): Promise<{ client: Client; method: AuthMethod }> {
  const { id, secret } = readClientCredentials(request.headers.authorization, parameters)
  const client = await issuer.findClient(id, url)
  if (client?.auth === 'tls_client_auth' && secret === null) {
    checkCertificate(client, pki.clientCertificate(request))
    return { client, method: client.auth }
  }
  if (client === undefined || client.auth !== undefined || !isClientSecret(client, secret))
    throw failed('the client is unknown, or its secret is wrong or missing')
  return { client, method: client.secret === null ? 'none' : 'client_secret_basic' }
}

/** RFC 8705, 2.1.2: the subject of the certificate must be the registered one. */
function checkCertificate({ subjectDn = '' }: Client, presented: ReturnType<Svc['pki']['clientCertificate']>): void {
  if (presented.state === 'none') throw failed('the client must present its certificate')
  if (presented.state === 'refused') throw failed(`the client certificate is refused: ${presented.reason}`)
  if (!isSameName(presented.certificate.subject, subjectDn))
    throw failed('the subject of the client certificate is not the registered one')
}

function readClientCredentials(authorization: string | undefined, parameters: Parameters): ClientCredentials {
  const inHeader = readAuthorization(authorization)
  const id = parameters.get('client_id')
  const secret = parameters.get('client_secret') ?? null
  if (inHeader?.scheme !== 'basic') {
    if (id === undefined) throw failed('the request has no client credentials')
    return { id, secret }
  }
  const pair = readBasicCredentials(inHeader.credentials)
  if (pair === null) throw failed('the Basic credentials are malformed')
  const basic = { id: formDecode(pair.username), secret: formDecode(pair.password) }
  if (secret !== null)
    throw new OAuthError('invalid_request', 'send the client credentials with Basic or as client_secret, not both')
  if (id !== undefined && id !== basic.id)
    throw new OAuthError('invalid_request', 'client_id differs from the client id of the Basic credentials')
  return basic
}

/**
 * RFC 6749, 2.3.1: both parts are form-encoded. Some clients encode even `-`, others nothing at all. A part that can't
 * be decoded is used unchanged.
 */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function failed(description: string): OAuthError {
  return new OAuthError('invalid_client', description)
}
