/** The contents of collections: the examples of the catalog, in one folder per category. */
import { type CatalogEndpoint } from 'svc/plugin'
import { headerProblem, readFormParts } from 'svc/toolkit'

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

/** A complete request. */
export interface Entry {
  /** `<path of the endpoint> - <name of the example>`, on one line. */
  name: string
  summary: string
  /** Sentences that describe omitted parts. */
  notes: string[]
  protocol: CatalogEndpoint['protocol']
  method: string
  /** Path and query in visible ASCII, without a fragment and without `{{`, which most tools treat as a variable. */
  target: string
  /** Includes `Content-Type` if there is a body; excludes the credentials of `auth`. */
  headers: Header[]
  auth: NonNullable<Example['auth']> | null
  body: string | null
  bodyType: Example['body_type']
  /** The documented status; null if it is anything but 404 and 405, or unknown, because the request has a placeholder. */
  expectStatus: number | null
}

/** A part of a multipart form. */
export interface FormField {
  name: string
  value: string
  /** Null for a field, which is not a file. */
  filename: string | null
  type: string | null
}

const CONTENT_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  form: 'application/x-www-form-urlencoded',
} as const
/** Content type of a body without one; otherwise each tool would choose a different type. */
const PLAIN_TEXT = 'text/plain; charset=utf-8'

/**
 * Folders of these endpoints in order, without WebSockets and endless streams, for which no tool would finish, and without
 * requests that get no response. `withControl` includes the requests that change the instance.
 */
export function listFolders(endpoints: CatalogEndpoint[], { withControl }: { withControl: boolean }): Folder[] {
  const folders = new Map<string, Entry[]>()
  for (const endpoint of endpoints) {
    if (endpoint.protocol === 'websocket' || endpoint.endless) continue
    const category = oneLine(endpoint.category)
    const entries = folders.get(category) ?? []
    folders.set(category, entries)
    for (const example of endpoint.examples)
      if (isSendable(example) && !isAborted(example) && (withControl || !changesInstance(endpoint, example)))
        entries.push(toEntry(endpoint, example))
  }
  return [...folders].map(([name, entries]) => ({ name, entries })).filter(({ entries }) => entries.length > 0)
}

/** All header fields of the request, including the credentials of `auth`. */
export function allHeaders({ headers, auth }: Entry): Header[] {
  if (auth === null) return headers
  const value =
    auth.type === 'bearer'
      ? `Bearer ${auth.token}`
      : `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`
  return [...headers, { name: 'Authorization', value }]
}

/** Whether the response is a redirect, which tools must not follow: its target may be elsewhere. */
export function isRedirect({ expectStatus }: Entry): boolean {
  return expectStatus !== null && expectStatus >= 300 && expectStatus < 400
}

/** The parts of a multipart form, for formats that build the body themselves; null for other bodies. */
export function formFields({ body, headers }: Entry): FormField[] | null {
  const contentType = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value
  const form = body === null ? null : readFormParts(Buffer.from(body), contentType)
  if (!form?.isComplete) return null
  return form.parts.map(({ content, ...part }) => ({ ...part, value: content.toString() }))
}

/** Decoded names and values of the query; empty without a query. */
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

/** The server closes the connection, which most tools count as a failure. */
function isAborted({ headers }: Example): boolean {
  return headers.some(({ name }) => name.toLowerCase() === 'x-svc-abort')
}

/** Whether the request changes the instance, for all its users: a running collection must not. */
function changesInstance({ plugin }: CatalogEndpoint, { method, path }: Example): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return plugin === null || /^\/_svc(?:[/?]|$)/.test(path)
}

/** The request has a placeholder that only an earlier response could fill in. */
function hasPlaceholder({ path, headers, body, auth }: Example): boolean {
  const values = [path, body ?? '', ...headers.map(({ value }) => value), ...Object.values(auth ?? {})]
  return values.some(value => /<[a-z_]+>/.test(value))
}

function toEntry(endpoint: CatalogEndpoint, example: Example): Entry {
  const notes: string[] = []
  const body = example.body !== null && !isText(example.body) ? null : example.body
  if (body !== example.body) notes.push('The body is omitted: it is not text.')
  const auth = example.auth && Object.values(example.auth).some(value => /\p{Cc}/u.test(value)) ? null : example.auth
  if (auth !== example.auth) notes.push('The credentials are omitted: they contain control characters.')
  const headers = example.headers.filter(({ name, value }) => {
    const problem = headerProblem(name, value)
    const isWritable = problem === null || problem === 'reserved'
    if (!isWritable) notes.push(`The header ${oneLine(name)} is omitted: its ${problem} is not allowed.`)
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
    expectStatus: hasPlaceholder(example) ? null : example.expect_status,
  }
}

/** The text with line breaks replaced by spaces. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

/** Whether every tool can store it as text: valid characters, and no control characters but tabs and line breaks. */
function isText(body: string): boolean {
  return !/[^\P{Cc}\t\n\r]|\p{Surrogate}/u.test(body)
}

function encodeTarget(path: string): string {
  const visible = path.replace(/[^\x21-\x7e]|#/gu, character =>
    [...Buffer.from(character)].map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
  return visible.replaceAll('{{', '%7B%7B')
}
