/** Reads the operations of a document, with resolved parameters, bodies and responses. */
import { isRecord, isToken } from 'svc/toolkit'
import { own, ownObject, ownText, type Json, type JsonObject } from './json.ts'
import { fragmentOf } from './json-pointer.ts'
import type { ApiDocument } from './api-document.ts'
import { templateNames } from './path-trie.ts'
import { serverPathsOf } from './servers.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const

/** The operations of a path item, with their location in it; since OpenAPI 3.2 of any method. */
export function methodsOf(pathItem: JsonObject): { method: string; raw: JsonObject; at: string[] }[] {
  const found = METHODS.flatMap((method): { method: string; raw: JsonObject; at: string[] }[] => {
    const raw = ownObject(pathItem, method)
    return raw === undefined ? [] : [{ method: method.toUpperCase(), raw, at: [method] }]
  })
  for (const [method, raw] of Object.entries(ownObject(pathItem, 'additionalOperations') ?? {}))
    if (isRecord(raw) && isToken(method)) found.push({ method, raw, at: ['additionalOperations', method] })
  return found
}

export interface Parameter {
  in: 'path' | 'query' | 'header' | 'cookie'
  /** As declared; header names are case-insensitive. */
  name: string
  required: boolean
  style: string
  explode: boolean
  schema: Json | undefined
  /** The media type of a parameter with `content`. */
  contentType: string | null
  raw: JsonObject
}

export interface MediaType {
  /** As declared, such as `application/json` or `image/*`; in lower case, except for parameters. */
  type: string
  schema: Json | undefined
  /** The schema of a list of items, for sequential types that describe a single item; undefined for others. */
  sequence: Json | undefined
  raw: JsonObject
}

export interface ResponseDefinition {
  /** `200`, `4XX` or `default`. */
  status: string
  content: MediaType[]
  headers: Map<string, JsonObject>
  raw: JsonObject
}

export interface RequestBodyDefinition {
  required: boolean
  content: MediaType[]
  raw: JsonObject
}

export interface Operation {
  /** The `operationId` if present and unique, otherwise `METHOD /template`. */
  key: string
  operationId: string | null
  /** Upper case. */
  method: string
  template: string
  /** The names of the template's parameters, in order. */
  pathNames: string[]
  /** The paths of its own servers or those of its path item, which replace the document's; null without any. */
  ownServerPaths: string[] | null
  summary: string
  parameters: Parameter[]
  requestBody: RequestBodyDefinition | null
  responses: ResponseDefinition[]
  /** Alternatives, each a map of scheme names to scopes. Empty if no credentials are required. */
  security: JsonObject[]
  /** The requests that the operation causes. */
  callbacks: Callback[]
  raw: JsonObject
  /** JSON pointer fragment of the operation. */
  at: string
}

/** A request to a URL that an operation names (OpenAPI 3.1.1, 4.18). */
export interface Callback {
  name: string
  /** A runtime expression, or a text with some in braces. */
  expression: string
  /** What is sent. Its `key` names the callback and the method. */
  operation: Operation
}

/** All operations in document order. A duplicate operationId belongs to the first operation that has it. */
export function listOperations(document: ApiDocument): Operation[] {
  const operations: Operation[] = []
  const taken = new Set<string>()
  for (const [template, item] of Object.entries(ownObject(document.root, 'paths') ?? {})) {
    const pathItem = document.resolve(item)
    if (!pathItem || !template.startsWith('/')) continue
    for (const { method, raw, at } of methodsOf(pathItem)) {
      const id = ownText(raw, 'operationId') || null
      const unique = id !== null && !taken.has(id)
      if (unique) taken.add(id)
      const found = { template, method, pathItem, raw, at: ['paths', template, ...at], isCallback: false }
      operations.push(readOperation(document, { ...found, operationId: unique ? id : null }))
    }
  }
  return operations
}

function readOperation(
  document: ApiDocument,
  found: {
    template: string
    method: string
    pathItem: JsonObject
    raw: JsonObject
    operationId: string | null
    /** Tokens of its location. */
    at: readonly string[]
    isCallback: boolean
  },
): Operation {
  const { template, raw, operationId, method, at } = found
  return {
    key: operationId ?? `${method} ${template}`,
    operationId,
    method,
    template,
    pathNames: templateNames(template),
    ownServerPaths: serverPathsOf(own(raw, 'servers')) ?? serverPathsOf(own(found.pathItem, 'servers')),
    summary: ownText(raw, 'summary') ?? ownText(raw, 'description')?.slice(0, 200) ?? '',
    parameters: readParameters(document, own(found.pathItem, 'parameters'), own(raw, 'parameters')),
    requestBody: readRequestBody(document, own(raw, 'requestBody')),
    responses: readResponses(document, ownObject(raw, 'responses')),
    security: readSecurity(own(raw, 'security') ?? own(document.root, 'security')),
    callbacks: found.isCallback ? [] : readCallbacks(document, raw, at),
    raw,
    at: fragmentOf(at),
  }
}

/** The callbacks of an operation; those of callbacks are not read. */
function readCallbacks(document: ApiDocument, raw: JsonObject, at: readonly string[]): Callback[] {
  return Object.entries(ownObject(raw, 'callbacks') ?? {}).flatMap(([name, value]) =>
    Object.entries(document.resolve(value) ?? {}).flatMap(([expression, item]) => {
      const pathItem = expression.startsWith('x-') ? undefined : document.resolve(item)
      if (pathItem === undefined) return []
      return methodsOf(pathItem).map(({ method, raw: operation, at: place }) => {
        const found = {
          template: expression,
          method,
          pathItem,
          raw: operation,
          operationId: `${name} ${method}`,
          at: [...at, 'callbacks', name, expression, ...place],
          isCallback: true,
        }
        return { name, expression, operation: readOperation(document, found) }
      })
    }),
  )
}

/** Parameters of the operation override those of the path item with the same location and name. */
function readParameters(document: ApiDocument, shared: Json | undefined, particular: Json | undefined): Parameter[] {
  const byPlace = new Map<string, Parameter>()
  for (const list of [shared, particular]) {
    for (const entry of Array.isArray(list) ? list : []) {
      const parameter = readParameter(document, entry)
      if (parameter)
        byPlace.set(
          `${parameter.in}:${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`,
          parameter,
        )
    }
  }
  return [...byPlace.values()]
}

const DEFAULT_STYLE = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const
/** Header parameters with these names are ignored (OpenAPI 3.1.1, 4.8.12). */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization'])

function readParameter(document: ApiDocument, entry: Json): Parameter | null {
  const raw = document.resolve(entry)
  const place = ownText(raw, 'in')
  const name = ownText(raw, 'name')
  if (!raw || name === undefined || (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie'))
    return null
  if (place === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) return null
  const style = ownText(raw, 'style') ?? DEFAULT_STYLE[place]
  const content = Object.entries(ownObject(raw, 'content') ?? {})[0]
  return {
    in: place,
    name,
    required: place === 'path' || own(raw, 'required') === true,
    style,
    explode: typeof own(raw, 'explode') === 'boolean' ? own(raw, 'explode') === true : style === 'form',
    schema: content ? (isRecord(content[1]) ? own(content[1], 'schema') : undefined) : own(raw, 'schema'),
    contentType: content?.[0] ?? null,
    raw,
  }
}

function readRequestBody(document: ApiDocument, value: Json | undefined): RequestBodyDefinition | null {
  const raw = document.resolve(value)
  return raw ? { required: own(raw, 'required') === true, content: readContent(document, raw), raw } : null
}

/** The media types of a body or response in document order. */
export function readContent(document: ApiDocument, raw: JsonObject): MediaType[] {
  return Object.entries(ownObject(raw, 'content') ?? {}).flatMap(([name, entry]) => {
    const media = document.resolve(entry)
    if (!media) return []
    const type = name.trim().replace(/^[^;]*/, base => base.trim().toLowerCase())
    const schema = own(media, 'schema')
    return [{ type, schema, sequence: sequenceOf(document, type, media), raw: media }]
  })
}

/** Types whose body is a sequence of items (OpenAPI 3.2, 4.14.2). */
const SEQUENTIAL =
  /^(?:text\/event-stream|application\/(?:(?:x-)?ndjson|jsonl|(?:.*\+)?json-seq)|multipart\/(?!form-data).*)(?:;|$)/

/** Generated sequences have two items. Before 3.2, `schema` describes an item unless it is a list or a text. */
function sequenceOf(document: ApiDocument, type: string, media: JsonObject): Json | undefined {
  if (!SEQUENTIAL.test(type)) return undefined
  const items = own(media, 'itemSchema')
  const schema = document.resolve(own(media, 'schema'))
  const isItem = schema !== undefined && (own(schema, 'type') === 'object' || Object.hasOwn(schema, 'properties'))
  if (items === undefined && (!isItem || type.startsWith('multipart/'))) return undefined
  return { type: 'array', items: items ?? own(media, 'schema') ?? {}, minItems: 2, maxItems: 2 }
}

function readResponses(document: ApiDocument, responses: JsonObject | undefined): ResponseDefinition[] {
  return Object.entries(responses ?? {}).flatMap(([key, value]) => {
    const status = /^[2-5]xx$/i.test(key) ? key.toUpperCase() : key
    // Interim responses (1xx) are not final responses.
    const raw = /^(?:[2-5]\d\d|[2-5]XX|default)$/.test(status) ? document.resolve(value) : undefined
    if (!raw) return []
    const headers = new Map<string, JsonObject>()
    for (const [name, header] of Object.entries(ownObject(raw, 'headers') ?? {})) {
      const definition = document.resolve(header)
      if (definition) headers.set(name, definition)
    }
    return [{ status, content: readContent(document, raw), headers, raw }]
  })
}

function readSecurity(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(item => isRecord(item)) : []
}

/** The response for a status: an exact match, else the range, else `default`. */
export function responseFor(operation: Operation, status: number): ResponseDefinition | undefined {
  const named = (name: string): ResponseDefinition | undefined =>
    operation.responses.find(response => response.status === name)
  return named(String(status)) ?? named(`${Math.floor(status / 100)}XX`) ?? named('default')
}
