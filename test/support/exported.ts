/** Requests of exported files in one comparable form, and the requests that the catalog expects. */
import type { Catalog, CatalogEndpoint } from '../../core/contract/plugin.ts'

export type Example = CatalogEndpoint['examples'][number]

/** A request without its base URL; header names are in lower case. */
export interface Exported {
  name: string
  category: string
  method: string
  /** Path and query. */
  target: string
  headers: Record<string, string>
  body: string | null
}

const TYPES = { json: 'application/json', xml: 'application/xml', form: 'application/x-www-form-urlencoded' }

/** The requests that a collection of this catalog must contain, in order. */
export function expectedOf(catalog: Pick<Catalog, 'endpoints'>, included: Included = {}): Exported[] {
  return sentExamples(catalog, included).map(({ endpoint: { path, category }, example }) => ({
    name: `${path} - ${example.name}`,
    category,
    method: example.method,
    target: example.path,
    headers: expectedHeaders(example),
    body: example.body,
  }))
}

export interface Included {
  /** With the requests that change the instance. */
  control?: boolean
  /** Without requests with this method. */
  without?: string
}

/** The examples of a catalog that collections contain, in order. */
export function sentExamples(
  { endpoints }: Pick<Catalog, 'endpoints'>,
  { control = false, without }: Included = {},
): { endpoint: CatalogEndpoint; example: Example }[] {
  return endpoints
    .filter(({ protocol, endless }) => protocol !== 'websocket' && !endless)
    .flatMap(endpoint => endpoint.examples.map(example => ({ endpoint, example })))
    .filter(({ example }) => !example.headers.some(({ name }) => name.toLowerCase() === 'x-svc-abort'))
    .filter(({ example }) => example.method !== without)
    .filter(({ endpoint, example }) => control || !changesInstance(endpoint, example))
}

export function changesInstance({ plugin }: CatalogEndpoint, { method, path }: Example): boolean {
  return !['GET', 'HEAD'].includes(method) && (plugin === null || path.startsWith('/_svc'))
}

function expectedHeaders({ headers, auth, body, body_type }: Example): Record<string, string> {
  const fields = headersOf(headers)
  if (auth?.type === 'basic') fields.authorization = basic(auth.username, auth.password)
  if (auth?.type === 'bearer') fields.authorization = `Bearer ${auth.token}`
  if (body !== null) fields['content-type'] ??= body_type ? TYPES[body_type] : 'text/plain; charset=utf-8'
  return fields
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** Converts a list of fields to an object; repeated ones become one list (RFC 9110, 5.3). */
export function headersOf(list: { name: string; value: string }[]): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  for (const { name, value } of list) {
    const key = name.toLowerCase()
    fields[key] = key in fields ? `${fields[key]}, ${value}` : value
  }
  return fields
}

/** The body that a client sends for a form; forms are compared in this form. */
export function encodeForm(pairs: { name: string; value: string }[]): string {
  return new URLSearchParams(pairs.map(({ name, value }) => [name, value])).toString()
}

/** The request with a normalized form body, since `%20` and `+` are equivalent. */
export function sameForm(request: Exported): Exported {
  const isForm = request.body !== null && request.headers['content-type']?.startsWith(TYPES.form)
  return isForm ? { ...request, body: new URLSearchParams(request.body!).toString() } : request
}
