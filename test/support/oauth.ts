/** A test client of the identity provider: forms, login, and token decoding. */
import { createHash } from 'node:crypto'

/** Values of a form; a list is a repeated parameter, undefined is omitted. */
export type Fields = Record<string, string | readonly string[] | undefined>

/** A JSON object with typed members where tests use them. */
export interface Body {
  error?: string
  error_description?: string
  access_token?: string
  id_token?: string
  refresh_token?: string
  exchanged_token?: string
  client_id?: string
  client_secret?: string
  [member: string]: unknown
}

/** A response with its body. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The body as JSON; an empty object if it is not JSON. */
  body: Body
}

/** Redirect URI of the tests. */
export const callback = 'http://localhost:3000/callback'
/** `grant_type` of token exchange. */
export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
/** A code verifier. */
export const verifier = 'a'.repeat(43)
/** Its S256 challenge. */
export const challenge = createHash('sha256').update(verifier).digest('base64url')

/** Value of `Authorization`, without encoding the two parts. */
export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}

/** Header of the confidential demo client. */
export const demoClient = { Authorization: basic('svc', 'svc-secret') }

/** The fields as a form body or a query. */
export function encode(fields: Fields): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of value === undefined ? [] : [value].flat()) parameters.append(name, one)
  }
  return parameters.toString()
}

/** Sends a request without following redirects. */
export async function call(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : {},
  }
}

/** Posts a form; by default as the demo client. */
export function post(url: string, fields: Fields, headers: Record<string, string> = demoClient): Promise<Answer> {
  return call(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: encode(fields),
  })
}

/** Parameters of an authorization request of the demo client. */
export function authorization(fields: Fields = {}): Fields {
  return { response_type: 'code', client_id: 'svc', redirect_uri: callback, ...fields }
}

/** The redirect target of a response. */
export function locationOf({ headers }: Answer): { uri: string; query: URLSearchParams } {
  const location = headers.get('location') ?? ''
  return { uri: location.split('?', 1)[0]!, query: new URL(location).searchParams }
}

/** Logs in, by default as alice, and returns the code. */
export async function getCode(base: string, fields: Fields = {}, username = 'alice'): Promise<string> {
  const response = await post(
    `${base}/oauth/authorize`,
    { ...authorization(fields), username, password: username, action: 'approve' },
    {},
  )
  const code = locationOf(response).query.get('code')
  if (code === null) throw new Error(`no code: ${response.status} ${response.headers.get('location')}`)
  return code
}

/** Tokens of the password grant. */
export async function logIn(base: string, fields: Fields = {}, username = 'alice'): Promise<Body> {
  return (await post(`${base}/oauth/token`, { grant_type: 'password', username, password: username, ...fields })).body
}

/** Registers a client and returns the provider's response. */
export async function register(base: string, metadata: unknown): Promise<Answer> {
  return call(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  })
}

/** Header and claims of a JWT, unverified. */
export function read(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  const [header, claims] = token
    .split('.', 2)
    .map(part => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)
  return { header: header!, claims: claims! }
}
