/** Generates a value for a JSON Schema, for tool arguments and structured replies. Deterministic. */
import { isRecord } from 'svc/toolkit'
import { countOf, listOf, own, type JsonObject } from './json.ts'
import { numberFor, textFor, textOfFormat, UserText } from './sample-text.ts'
import { fitNumber, fitText } from './schema-bounds.ts'

const maxDepth = 12
const maxNodes = 2000
const maxItems = 20
const maxRead = 200_000

interface Walk {
  root: unknown
  user: UserText
  nodes: number
  /** Keywords, names and options that may still be read: references can repeat long lists. */
  left: number
}

/** The position in the value: the property name selects the sample, `variant` makes list items different. */
interface Place {
  name: string
  depth: number
  variant: number
}

/**
 * A value that is valid for the usual keywords of JSON Schema 2020-12; also accepts Gemini's upper-case type names.
 * Values deeper than 12 levels, beyond 2000 nodes or of
 * very large schemas are null.
 */
export function fromSchema(schema: unknown, userText: string): unknown {
  return valueOf(
    schema,
    { name: '', depth: 0, variant: 0 },
    {
      root: schema,
      user: new UserText(userText),
      nodes: 0,
      left: maxRead,
    },
  )
}

function valueOf(given: unknown, place: Place, walk: Walk): unknown {
  if (++walk.nodes > maxNodes || place.depth > maxDepth || walk.left < 0) return null
  const schema = resolve(given, walk)
  if (!isRecord(schema)) return textFor(place.name, walk.user)
  if (Object.hasOwn(schema, 'const')) return schema.const
  const options = read(listOf(schema.enum), walk).filter(option => option !== null)
  if (options.length > 0) return options[place.variant % options.length]
  if (Object.hasOwn(schema, 'default') && place.variant === 0) return schema.default
  const alternative = firstAlternative(schema, walk)
  if (alternative !== undefined)
    return valueOf(
      merge({ ...schema, anyOf: undefined, oneOf: undefined }, alternative, walk),
      { ...place, depth: place.depth + 1 },
      walk,
    )
  if (Array.isArray(schema.allOf)) {
    let whole: JsonObject = { ...schema, allOf: undefined }
    for (const part of schema.allOf) {
      const resolved = resolve(part, walk)
      if (isRecord(resolved)) whole = merge(whole, resolved, walk)
      if (walk.left < 0) return null
    }
    return valueOf(whole, { ...place, depth: place.depth + 1 }, walk)
  }
  return ofType(typeOf(schema), schema, place, walk)
}

function ofType(type: string, schema: JsonObject, place: Place, walk: Walk): unknown {
  switch (type) {
    case 'object':
      return objectFor(schema, place, walk)
    case 'array':
      return listFor(schema, place, walk)
    case 'integer':
      return fitNumber(numberFor(place.name, true), schema, true, place.variant)
    case 'number':
      return fitNumber(numberFor(place.name, false), schema, false, place.variant)
    case 'boolean':
      return place.variant === 0
    case 'null':
      return null
    default:
      return textValue(schema, place, walk)
  }
}

function textValue(schema: JsonObject, place: Place, walk: Walk): string {
  const formatted = textOfFormat(schema.format, place.variant)
  if (formatted !== undefined) return formatted
  const text = textFor(place.name, walk.user)
  if (place.variant === 0) return fitText(text, schema)
  // The number that makes items different must not be cut off by maxLength.
  const suffix = ` ${place.variant + 1}`
  const most = countOf(schema.maxLength)
  return fitText(
    most === undefined ? text + suffix : [...text].slice(0, Math.max(0, most - suffix.length)).join('') + suffix,
    schema,
  )
}

function typeOf(schema: JsonObject): string {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter(
    (type): type is string => typeof type === 'string',
  )
  const type = types.map(name => name.toLowerCase()).find(name => name !== 'null') ?? types[0]?.toLowerCase()
  if (type !== undefined) return type
  if (isRecord(schema.properties)) return 'object'
  return Object.hasOwn(schema, 'items') || Array.isArray(schema.prefixItems) ? 'array' : 'string'
}

function objectFor(schema: JsonObject, place: Place, walk: Walk): object {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const names = new Set<string>()
  for (const name of read(listOf(schema.propertyOrdering), walk))
    if (typeof name === 'string' && Object.hasOwn(properties, name)) names.add(name)
  for (const name of read(Object.keys(properties), walk)) names.add(name)
  for (const name of read(listOf(schema.required), walk)) if (typeof name === 'string') names.add(name)
  const value = Object.create(null) as Record<string, unknown>
  for (const name of names) {
    if (walk.nodes > maxNodes || walk.left < 0) break
    value[name] = valueOf(own(properties, name), { name, depth: place.depth + 1, variant: place.variant }, walk)
  }
  return value
}

function listFor(schema: JsonObject, place: Place, walk: Walk): unknown[] {
  const most = Math.min(countOf(schema.maxItems) ?? maxItems, maxItems)
  const fixed = listOf(schema.prefixItems).slice(0, most)
  const values = fixed.map(item => valueOf(item, { name: place.name, depth: place.depth + 1, variant: 0 }, walk))
  const least = Math.min(Math.max(countOf(schema.minItems) ?? 0, 1), most)
  if (schema.items === false) return values
  const isUnique = schema.uniqueItems === true
  const seen = new Set(isUnique ? values.map(value => JSON.stringify(value)) : [])
  // Tries more variants if an item is equal to a prefix item.
  for (let variant = place.variant; values.length < least && variant < place.variant + 2 * maxItems; variant++) {
    const value = valueOf(
      schema.items,
      { name: place.name, depth: place.depth + 1, variant: isUnique ? variant : place.variant },
      walk,
    )
    if (isUnique) {
      const key = JSON.stringify(value)
      walk.left -= key?.length ?? 0
      if (walk.left < 0) break
      if (seen.has(key)) continue
      seen.add(key)
    }
    values.push(value)
  }
  return values
}

/**
 * Follows `$ref` (a local JSON pointer, RFC 6901) and keeps the keywords next to it. A reference that is broken or
 * circular becomes a null schema.
 */
function resolve(given: unknown, walk: Walk): unknown {
  let schema = given
  for (let hops = 0; isRecord(schema) && typeof schema.$ref === 'string'; hops++) {
    walk.left -= schema.$ref.length
    const target: unknown = hops < maxDepth && walk.left >= 0 ? pointed(walk.root, schema.$ref) : undefined
    if (target === undefined) return { type: 'null' }
    schema = isRecord(target) ? merge({ ...schema, $ref: undefined }, target, walk) : target
  }
  return schema
}

function pointed(root: unknown, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined
  let value: unknown = root
  for (const raw of ref.slice(1).split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    value = Array.isArray(value) ? value[Number(key)] : own(value, key)
  }
  return value
}

function firstAlternative(schema: JsonObject, walk: Walk): JsonObject | undefined {
  const list = [schema.anyOf, schema.oneOf].find(
    (candidate): candidate is unknown[] => Array.isArray(candidate) && candidate.length > 0,
  )
  for (const given of list ?? []) {
    const option = resolve(given, walk)
    if (isRecord(option) && option.type !== 'null' && option.const !== null) return option
    walk.left -= 1
  }
  return undefined
}

/** Counts the items of a list of the schema that are read. */
function read<T>(list: readonly T[], walk: Walk): readonly T[] {
  walk.left -= list.length
  return walk.left < 0 ? [] : list
}

/** What a merge copies. */
function sizeOf({ properties, required, ...others }: JsonObject): number {
  return (
    Object.keys(others).length + (isRecord(properties) ? Object.keys(properties).length : 0) + listOf(required).length
  )
}

/** Merges two schemas: combines properties and required names; other keywords of the second schema win. */
function merge(first: JsonObject, second: JsonObject, walk: Walk): JsonObject {
  walk.left -= sizeOf(first) + sizeOf(second)
  if (walk.left < 0) return first
  const both = Object.assign(Object.create(null) as JsonObject, first, second)
  if (isRecord(first.properties) && isRecord(second.properties))
    both.properties = Object.assign(Object.create(null) as JsonObject, first.properties, second.properties)
  if (Array.isArray(first.required) && Array.isArray(second.required))
    both.required = [...first.required, ...second.required]
  return both
}
