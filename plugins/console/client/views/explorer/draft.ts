/** State of the request form in the explorer, and the request built from it. */
import { handedToken } from '../../lib/tokens/bearer.ts'
import { FAULT_HEADERS, faultHeaders, NO_FAULTS, type Faults } from '../../lib/instance/faults.ts'
import { headerOf, takesNoBody, type NameValue } from '../../lib/protocol/http.ts'
import type { CatalogEndpoint } from '../../lib/shell/places.ts'

export type Example = CatalogEndpoint['examples'][number]
export type AuthKind = 'none' | 'basic' | 'bearer'

export interface Draft {
  method: string
  /** Path and query. */
  path: string
  headers: NameValue[]
  auth: { kind: AuthKind; username: string; password: string; token: string }
  body: string
  faults: Faults
}

const CONTENT_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  form: 'application/x-www-form-urlencoded',
} as const

/** The form for an endpoint, filled in from the example, or else from the endpoint. */
export function draftOf(endpoint: CatalogEndpoint, example: Example | undefined): Draft {
  const given = example?.headers ?? []
  const faultNames = new Map<string, keyof Faults>(FAULT_HEADERS.map(([field, name]) => [name.toLowerCase(), field]))
  const faults = { ...NO_FAULTS }
  for (const { name, value } of given) {
    const field = faultNames.get(name.toLowerCase())
    if (field) faults[field] = value
  }
  const headers = given.filter(({ name }) => !faultNames.has(name.toLowerCase()))
  if (example?.body_type && headerOf(headers, 'content-type') === null)
    headers.push({ name: 'Content-Type', value: CONTENT_TYPES[example.body_type] })
  return {
    method: example?.method ?? endpoint.expanded_methods[0] ?? 'GET',
    path: example?.path ?? endpoint.path,
    headers,
    auth: authOf(example?.auth ?? null),
    body: example?.body ?? '',
    faults,
  }
}

/** A token from the token lab replaces the one of the example. */
function authOf(auth: Example['auth']): Draft['auth'] {
  const handed = handedToken.peek()
  const none = { kind: 'none' as const, username: '', password: '', token: handed ?? '' }
  if (auth === null) return none
  if (auth.type === 'basic') return { ...none, kind: 'basic', username: auth.username, password: auth.password }
  return { ...none, kind: 'bearer', token: handed ?? auth.token }
}

/** All headers of the draft, including credentials and faults. */
export function headersOf({ headers, auth, faults }: Draft): NameValue[] {
  const list = headers.filter(({ name }) => name.trim() !== '')
  if (auth.kind === 'basic')
    list.push({ name: 'Authorization', value: `Basic ${toBase64(`${auth.username}:${auth.password}`)}` })
  if (auth.kind === 'bearer') list.push({ name: 'Authorization', value: `Bearer ${auth.token}` })
  return [...list, ...faultHeaders(faults)]
}

/** The body to send; null: no body. */
export function bodyOf({ method, body }: Draft): string | null {
  return body === '' || takesNoBody(method) ? null : body
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
