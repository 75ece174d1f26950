/** Parses parameters by `style` and `explode` (OpenAPI 3.1.1, 4.12.2.2 and 4.12.4). */
import { isRecord, parseCookies } from 'svc/toolkit'
import type { Parameter } from '../document/operations.ts'
import { own, parseJson, setOwn, type Json, type JsonObject } from '../document/json.ts'
import type { Flattener } from '../schema/flat-schema.ts'
import { coerce, typesOf } from './coerce.ts'

/** The sources of parameters. */
export interface RawParameters {
  /** Template parameters, percent-decoded. */
  path: ReadonlyMap<string, string>
  query: readonly (readonly [string, string])[]
  /** A header value; repeated headers are joined. */
  header(name: string): string | undefined
  cookies: ReadonlyMap<string, string>
}

/** The value of a parameter, coerced by its schema; undefined if absent. */
export function parameterValue(parameter: Parameter, raw: RawParameters, flattener: Flattener): Json | undefined {
  const schema = parameter.schema
  if (parameter.contentType !== null) {
    const text = rawText(parameter, raw)
    return text === undefined ? undefined : (parseJson(text) ?? text)
  }
  const flat = flattener.flatten(schema)
  const types = typesOf(flat, flattener, 0)
  const shape = types.has('array') ? 'array' : types.has('object') ? 'object' : 'text'
  const value =
    shape === 'text' ? plain(parameter, raw) : structured(parameter, shape, raw, () => flat.properties.keys())
  return value === undefined ? undefined : coerce(value, schema, flattener)
}

function plain(parameter: Parameter, raw: RawParameters): string | undefined {
  const text = rawText(parameter, raw)
  if (text === undefined || parameter.in !== 'path') return text
  if (parameter.style === 'label') return text.replace(/^\./, '')
  if (parameter.style === 'matrix') return text.replace(`;${parameter.name}=`, '')
  return text
}

/** The text of the parameter with this name. */
function rawText(parameter: Parameter, raw: RawParameters): string | undefined {
  switch (parameter.in) {
    case 'path':
      return raw.path.get(parameter.name)
    case 'query':
      return raw.query.find(([name]) => name === parameter.name)?.[1]
    case 'header':
      return raw.header(parameter.name)
    case 'cookie':
      return raw.cookies.get(parameter.name)
  }
}

function structured(
  parameter: Parameter,
  shape: 'array' | 'object',
  raw: RawParameters,
  properties: () => Iterable<string>,
): Json | undefined {
  if (parameter.in === 'query' && parameter.style === 'deepObject') return deepObject(parameter.name, raw.query)
  if (parameter.in === 'query' && parameter.explode && parameter.style === 'form')
    return exploded(parameter, shape, raw.query, properties)
  const text = rawText(parameter, raw)
  if (text === undefined) return parameter.in === 'query' ? deepObject(parameter.name, raw.query) : undefined
  const { parts, separator } = split(parameter, text)
  if (shape === 'array') return parts
  return separator === '=' ? fromAssignments(parts) : fromPairs(parts)
}

/**
 * `a=1&a=2` for an array, `x=1&y=2` for the members of an object. Arrays can also be sent as `a[]=1`, which many
 * clients do.
 */
function exploded(
  parameter: Parameter,
  shape: 'array' | 'object',
  query: RawParameters['query'],
  properties: () => Iterable<string>,
): Json | undefined {
  if (shape === 'array') {
    const values = query
      .filter(([name]) => name === parameter.name || name === `${parameter.name}[]`)
      .map(([, value]) => value)
    return values.length > 0 ? values : deepObject(parameter.name, query)
  }
  const result: JsonObject = {}
  const wanted = new Set(properties())
  for (const [name, value] of query) if (wanted.has(name)) setOwn(result, name, value)
  return Object.keys(result).length > 0 ? result : undefined
}

const MAX_DEPTH = 10

/** Parses `name[a]=1&name[b][c]=2` to an object. Keys 0, 1, … result in an array. Undefined if absent. */
export function deepObject(name: string, query: RawParameters['query']): Json | undefined {
  const root: JsonObject = {}
  let found = false
  for (const [key, value] of query) {
    if (!key.startsWith(`${name}[`)) continue
    const path = [...key.slice(name.length).matchAll(/\[([^[\]]*)\]/g)].map(match => match[1] ?? '')
    if (path.length === 0 || path.length > MAX_DEPTH) continue
    found = true
    assign(root, path, value)
  }
  return found ? listed(root) : undefined
}

function assign(root: JsonObject, path: string[], value: string): void {
  let target = root
  for (const [index, step] of path.entries()) {
    // `a[]=1` appends.
    const key = step === '' ? String(Object.keys(target).length) : step
    if (index === path.length - 1) setOwn(target, key, value)
    else {
      const present = own(target, key)
      const next: JsonObject = isRecord(present) ? present : {}
      if (next !== present) setOwn(target, key, next)
      target = next
    }
  }
}

function listed(value: Json): Json {
  if (!isRecord(value)) return value
  const entries = Object.entries(value)
  if (entries.length > 0 && entries.every(([key], index) => key === String(index)))
    return entries.map(([, item]) => listed(item))
  const result: JsonObject = {}
  for (const [key, item] of entries) setOwn(result, key, listed(item))
  return result
}

function split(parameter: Parameter, text: string): { parts: string[]; separator: '=' | ',' } {
  const assigns = parameter.explode ? '=' : ','
  switch (parameter.style) {
    case 'label':
      return { parts: text.replace(/^\./, '').split(parameter.explode ? '.' : ','), separator: assigns }
    case 'matrix': {
      const inner = text.replace(/^;/, '')
      if (!parameter.explode) return { parts: inner.slice(inner.indexOf('=') + 1).split(','), separator: ',' }
      const parts = inner.split(';')
      const isList = parts.every(part => part.startsWith(`${parameter.name}=`))
      return { parts: isList ? parts.map(part => part.slice(parameter.name.length + 1)) : parts, separator: '=' }
    }
    case 'spaceDelimited':
      return { parts: text.split(/ |%20/), separator: ',' }
    case 'pipeDelimited':
      return { parts: text.split('|'), separator: ',' }
    default:
      return {
        parts: text.split(',').map(part => (parameter.in === 'header' ? part.trim() : part)),
        separator: parameter.style === 'simple' ? assigns : ',',
      }
  }
}

function fromAssignments(parts: string[]): JsonObject {
  const result: JsonObject = {}
  for (const part of parts) {
    const at = part.indexOf('=')
    if (at > 0) setOwn(result, part.slice(0, at), part.slice(at + 1))
  }
  return result
}

function fromPairs(parts: string[]): JsonObject {
  const result: JsonObject = {}
  for (let index = 0; index + 1 < parts.length; index += 2) setOwn(result, parts[index] ?? '', parts[index + 1] ?? '')
  return result
}

/** The decoded pairs of a query. Malformed escapes are kept. */
export function parseQuery(query: string): [string, string][] {
  if (query === '') return []
  return query
    .split('&', 2000)
    .filter(pair => pair !== '')
    .map(pair => {
      const at = pair.indexOf('=')
      return at < 0 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))]
    })
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

/** The cookies of a request, unquoted and percent-decoded. `+` is not decoded to a space. */
export function readCookies(header: string | undefined): Map<string, string> {
  const cookies = parseCookies(header)
  for (const [name, value] of cookies) cookies.set(name, decode(value.replace(/^"(.*)"$/, '$1').replaceAll('+', '%2B')))
  return cookies
}
