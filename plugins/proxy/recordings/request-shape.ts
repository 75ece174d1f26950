/** A request as it is recorded and compared: redacted, with a key. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { isSecretName, isSecretParameter, isToken, Redactor, setOwn } from 'svc/toolkit'
import type { Json, JsonObject } from 'svc/plugin'
import type { Upstream } from '../config/upstream.ts'
import { isSensitiveHeader, isTooCostly, parseBoundedJson, redactJson, removeJson } from '../redaction.ts'
import { canonicalPath } from '../target-path.ts'

/** Longer JSON is recorded as text. */
export const MAX_JSON_CHARACTERS = 256 * 1024

export type Pairs = Record<string, string | string[]>

/** The body: at most one member. */
export interface RecordedBody {
  json?: Json
  /** Decoded parameters of a form. */
  form?: Pairs
  body?: string
  base64?: string
}

export interface RequestShape extends RecordedBody {
  method: string
  /** Below the target. */
  path: string
  query: Pairs
  /** In lower case: `content-type`, and those that distinguish recordings. Empty: the request has no such header. */
  headers: Record<string, string>
}

/** A request that is compared with recordings. */
export interface AskedRequest {
  shape: RequestShape
  /** The value of any header as it would be recorded; empty if the request has none. `name` in lower case. */
  header(name: string): string
}

/** Headers of conditional and partial requests (RFC 9110, 13.1, 14.2): the response to one is not the response to others. */
export const CONDITIONAL_HEADERS: readonly string[] = [
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
]

/** Names in `Vary` that make no difference here: bodies are recorded decoded, and the instance itself answers CORS. */
const NOT_VARYING = new Set([
  '*',
  'accept-encoding',
  'content-type',
  'dnt',
  'host',
  'origin',
  'user-agent',
  'x-request-id',
])
const MAX_VARYING = 20

/** Describes a request with secrets replaced; `redactor` learns them. `path` is normalized. */
export function shapeOf(
  upstream: Upstream,
  request: {
    method: string
    path: string
    query: string
    header(name: string): string | undefined
    body: Buffer
  },
  redactor: Redactor = new Redactor(),
): RequestShape {
  const headers: Record<string, string> = {}
  for (const name of new Set(['content-type', ...CONDITIONAL_HEADERS, ...upstream.matchHeaders])) {
    const value = request.header(name)
    if (value !== undefined && !upstream.ignore.headers.has(name))
      headers[name] = recordedHeader(upstream, name, value, redactor)
  }
  return {
    method: request.method,
    path: canonicalPath(request.path),
    query: redactPairs(pairsOf(request.query), redactor),
    headers,
    ...bodyOf(upstream, request.header('content-type') ?? '', request.body, redactor),
  }
}

/** The value of a request header as it is recorded. `name` in lower case. */
export function recordedHeader(upstream: Upstream, name: string, value: string, redactor: Redactor): string {
  return redactor.header(name, value, isSensitiveHeader(name, value, upstream.redact))
}

/**
 * The request with the headers by which the upstream chose the response (`Vary`; RFC 9110, 12.5.5): other values get another
 * recording. Without those that name the client and not what it wants, such as `User-Agent`.
 */
export function withVarying(
  upstream: Upstream,
  { shape, header }: AskedRequest,
  vary: string | string[] | undefined,
): RequestShape {
  const names = [vary ?? []]
    .flat()
    .join(',')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => isToken(name) && !NOT_VARYING.has(name) && !/^(?:sec|x-svc)-/.test(name))
    .filter(name => !upstream.ignore.headers.has(name) && !upstream.redact.headers.has(name) && !isSecretName(name))
    .slice(0, MAX_VARYING)
  const varying = names.map(name => [name, header(name)] as const)
  return varying.length === 0 ? shape : { ...shape, headers: { ...shape.headers, ...Object.fromEntries(varying) } }
}

function bodyOf(upstream: Upstream, contentType: string, body: Buffer, redactor: Redactor): RecordedBody {
  if (body.length === 0) return {}
  if (!isUtf8(body)) return { base64: body.toString('base64') }
  const text = body.toString('utf8')
  const type = mediaType(contentType)
  const json = isJsonType(type) ? parseBoundedJson(text) : undefined
  if (json !== undefined) {
    const redacted = redactJson(json, upstream.redact, redactor)
    return text.length <= MAX_JSON_CHARACTERS ? { json: redacted } : { body: JSON.stringify(redacted) }
  }
  if (type === 'application/x-www-form-urlencoded') return { form: redactPairs(pairsOf(text), redactor) }
  return { body: hidesMembers(text, type, upstream) ? redactor.marker : redactor.text(text) }
}

/** Whether the configuration names members to hide in a JSON body that is too costly to be parsed. */
export function hidesMembers(text: string, type: string, { redact }: Upstream): boolean {
  return redact.json.length > 0 && isJsonType(type) && isTooCostly(text)
}

export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

export function isJsonType(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/** Decoded parameters by name. */
function pairsOf(query: string): Pairs {
  const pairs: Pairs = {}
  for (const [name, value] of new URLSearchParams(query)) {
    const before = Object.hasOwn(pairs, name) ? pairs[name] : undefined
    setOwn(pairs as JsonObject, name, before === undefined ? value : [...[before].flat(), value])
  }
  return pairs
}

function redactPairs(pairs: Pairs, redactor: Redactor): Pairs {
  return mapPairs(pairs, (name, value) => redactor.parameter(name, value))
}

function mapPairs(pairs: Pairs, change: (name: string, value: string) => string): Pairs {
  return Object.fromEntries(
    Object.entries(pairs).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(one => change(name, one)) : change(name, value),
    ]),
  )
}

function withoutSecrets(pairs: Pairs): Pairs {
  return Object.fromEntries(
    Object.entries(pairs).filter(([name, value]) => ![value].flat().some(one => isSecretParameter(name, one))),
  )
}

/** The parts that distinguish a recording: nothing that is ignored or redacted. */
export function significantParts(upstream: Upstream, shape: RequestShape): RequestShape {
  const { ignore, redact } = upstream
  const query = Object.entries(withoutSecrets(shape.query)).filter(([name]) => !ignore.query.has(name))
  const headers = Object.entries(shape.headers).filter(
    ([name, value]) =>
      (name !== 'content-type' || upstream.matchHeaders.includes(name)) &&
      !ignore.headers.has(name) &&
      !isSensitiveHeader(name, value, redact),
  )
  const { method, path, form, base64 } = shape
  const isJsonText = shape.body !== undefined && isJsonType(mediaType(shape.headers['content-type'] ?? ''))
  const json = shape.json === undefined && isJsonText ? parseBoundedJson(shape.body!) : shape.json
  const body = json === undefined ? shape.body : undefined
  return {
    method,
    path,
    query: Object.fromEntries(query),
    headers: Object.fromEntries(headers),
    ...(json === undefined ? {} : { json: removeJson(json, [...ignore.json, ...redact.json]) }),
    ...(form === undefined ? {} : { form: withoutSecrets(form) }),
    ...(body === undefined ? {} : { body }),
    ...(base64 === undefined ? {} : { base64 }),
  }
}

/** What identifies a recording. */
export interface RecordingKey {
  /** Hexadecimal SHA-256 of the parts that distinguish a recording. */
  key: string
  /** The same without the headers that only some recordings have: those of `variant`. */
  base: string
  /** Conditional headers, those that `Vary` names, and others that the recording was given by hand. */
  variant: Readonly<Record<string, string>>
}

export function keyOf(upstream: Upstream, shape: RequestShape): RecordingKey {
  const parts = significantParts(upstream, shape)
  const entries = Object.entries(parts.headers)
  const headers = Object.fromEntries(entries.filter(([name]) => upstream.matchHeaders.includes(name)))
  const variant = Object.fromEntries(entries.filter(([name]) => !upstream.matchHeaders.includes(name)))
  return { key: hashOf(parts), base: hashOf({ ...parts, headers }), variant }
}

function hashOf(parts: RequestShape): string {
  return createHash('sha256').update(canonicalJson(parts)).digest('hex')
}

/** JSON text with sorted members. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
