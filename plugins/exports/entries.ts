/** Owns what the collections are made of: the examples of the catalog, one folder a category. */
import { headerProblem, type CatalogEndpoint } from 'svc/plugin'

type Example = CatalogEndpoint['examples'][number]
export interface Header {
  name: string
  value: string
}

/** The requests of one category. */
export interface Folder {
  name: string
  entries: Entry[]
}

/** A request that can be sent as it stands. */
export interface Entry {
  /** `<path of the endpoint> - <name of the example>`, on one line. */
  name: string
  summary: string
  /** What could not be taken over, as sentences. */
  notes: string[]
  protocol: CatalogEndpoint['protocol']
  method: string
  /** Path and query: visible ASCII, without a fragment and without `{{`, which most tools take for a variable. */
  target: string
  /** With `Content-Type` where there is a body, without the credentials of `auth`. */
  headers: Header[]
  auth: NonNullable<Example['auth']> | null
  body: string | null
  bodyType: Example['body_type']
}

const CONTENT_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  form: 'application/x-www-form-urlencoded',
} as const
/** What a body without a type of its own is sent as; else each tool would choose another one. */
const PLAIN_TEXT = 'text/plain; charset=utf-8'

/** Folders of these endpoints in their order. WebSockets and feeds without an end are left out: no tool would return. */
export function listFolders(endpoints: CatalogEndpoint[]): Folder[] {
  const folders = new Map<string, Entry[]>()
  for (const endpoint of endpoints) {
    if (endpoint.protocol === 'websocket' || endpoint.endless) continue
    const category = oneLine(endpoint.category)
    const entries = folders.get(category) ?? []
    folders.set(category, entries)
    for (const example of endpoint.examples) if (isSendable(example)) entries.push(toEntry(endpoint, example))
  }
  return [...folders].map(([name, entries]) => ({ name, entries })).filter(({ entries }) => entries.length > 0)
}

/** All header fields of the request, the credentials of `auth` among them. */
export function allHeaders({ headers, auth }: Entry): Header[] {
  if (auth === null) return headers
  const value =
    auth.type === 'bearer'
      ? `Bearer ${auth.token}`
      : `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
  return [...headers, { name: 'Authorization', value }]
}

/** Names and values of the query, decoded; none where there is no query. */
export function queryOf({ target }: Entry): { name: string; value: string }[] {
  const start = target.indexOf('?')
  return start === -1 ? [] : decodeForm(target.slice(start + 1))
}

/** Names and values of a form or a query (WHATWG URL, 5.1). */
export function decodeForm(text: string): { name: string; value: string }[] {
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, value }))
}

function isSendable({ method, path }: Example): boolean {
  return /^[A-Z]+$/.test(method) && path.startsWith('/')
}

function toEntry(endpoint: CatalogEndpoint, example: Example): Entry {
  const notes: string[] = []
  const body = example.body !== null && !isText(example.body) ? null : example.body
  if (body !== example.body) notes.push('The body is left out: it is not text.')
  const auth = example.auth && Object.values(example.auth).some(value => /\p{Cc}/u.test(value)) ? null : example.auth
  if (auth !== example.auth) notes.push('The credentials are left out: they hold control characters.')
  const headers = example.headers.filter(({ name, value }) => {
    const problem = headerProblem(name, value)
    const isWritable = problem === null || problem === 'reserved'
    if (!isWritable) notes.push(`The header ${oneLine(name)} is left out: its ${problem} can't be sent.`)
    return isWritable
  })
  if (body !== null && !headers.some(({ name }) => name.toLowerCase() === 'content-type')) {
    headers.push({ name: 'Content-Type', value: example.body_type ? CONTENT_TYPES[example.body_type] : PLAIN_TEXT })
  }
  return {
    name: `${oneLine(endpoint.path)} - ${oneLine(example.name)}`,
    summary: oneLine(endpoint.summary),
    notes,
    protocol: endpoint.protocol,
    method: example.method,
    target: encodeTarget(example.path),
    headers,
    auth: auth ?? null,
    body,
    bodyType: example.body_type,
  }
}

/** The text with everything that could end a line as a blank. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

/** Whether every tool can hold it as text: whole characters, no controls but tab and line ends. */
function isText(body: string): boolean {
  return !/[^\P{Cc}\t\n\r]|\p{Surrogate}/u.test(body)
}

function encodeTarget(path: string): string {
  const visible = path.replace(/[^\x21-\x7e]|#/gu, character =>
    [...Buffer.from(character)].map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
  return visible.replaceAll('{{', '%7B%7B')
}
