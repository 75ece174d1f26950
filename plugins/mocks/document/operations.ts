/** Reads the operations of a document, with resolved parameters, bodies and responses. */
import { isRecord } from 'svc/toolkit'
import { own, ownObject, ownText, type Json, type JsonObject } from './json.ts'
import { fragmentOf } from './json-pointer.ts'
import type { ApiDocument } from './api-document.ts'
import { templateNames } from './path-trie.ts'

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

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
  /** As declared, such as `application/json` or `image/*`. */
  type: string
  schema: Json | undefined
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
  summary: string
  parameters: Parameter[]
  requestBody: RequestBodyDefinition | null
  responses: ResponseDefinition[]
  /** Alternatives, each a map of scheme names to scopes. Empty if no credentials are required. */
  security: JsonObject[]
  raw: JsonObject
  /** JSON pointer fragment of the operation. */
  at: string
}

/** All operations in document order. A duplicate operationId belongs to the first operation that has it. */
export function listOperations(document: ApiDocument): Operation[] {
  const operations: Operation[] = []
  const taken = new Set<string>()
  for (const [template, item] of Object.entries(ownObject(document.root, 'paths') ?? {})) {
    const pathItem = document.resolve(item)
    if (!pathItem || !template.startsWith('/')) continue
    for (const method of METHODS) {
      const raw = ownObject(pathItem, method)
      if (!raw) continue
      const id = ownText(raw, 'operationId') || null
      const unique = id !== null && !taken.has(id)
      if (unique) taken.add(id)
      operations.push(readOperation(document, { template, method, pathItem, raw, operationId: unique ? id : null }))
    }
  }
  return operations
}

function readOperation(
  document: ApiDocument,
  found: { template: string; method: string; pathItem: JsonObject; raw: JsonObject; operationId: string | null },
): Operation {
  const { template, raw, operationId } = found
  const method = found.method.toUpperCase()
  return {
    key: operationId ?? `${method} ${template}`,
    operationId,
    method,
    template,
    pathNames: templateNames(template),
    summary: ownText(raw, 'summary') ?? ownText(raw, 'description')?.slice(0, 200) ?? '',
    parameters: readParameters(document, own(found.pathItem, 'parameters'), own(raw, 'parameters')),
    requestBody: readRequestBody(document, own(raw, 'requestBody')),
    responses: readResponses(document, ownObject(raw, 'responses')),
    security: readSecurity(own(raw, 'security') ?? own(document.root, 'security')),
    raw,
    at: fragmentOf(['paths', template, found.method]),
  }
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
  return raw ? { required: own(raw, 'required') === true, content: readContent(raw), raw } : null
}

/** The media types of a body or response in document order, in lower case. */
export function readContent(raw: JsonObject): MediaType[] {
  return Object.entries(ownObject(raw, 'content') ?? {}).flatMap(([type, media]) =>
    isRecord(media) ? [{ type: type.trim().toLowerCase(), schema: own(media, 'schema'), raw: media }] : [],
  )
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
    return [{ status, content: readContent(raw), headers, raw }]
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
