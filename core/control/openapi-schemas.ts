/**
 * Schemas of the OpenAPI document. Those with a title, and those inside of others with a type name, are components that operations refer to, so that generated clients have
 * one type for each. All are in a form that generators of clients compile, and accept the same values as before.
 */
import type { JsonSchema } from '../contract/plugin.ts'
import { TYPE_NAME } from '../toolkit/reply-schemas.ts'

/** What operations use of a registry. */
export type SchemaReferences = Pick<SchemaRegistry, 'refer'>

/** All schemas are where they are used, without the names of types. */
export const INLINE: SchemaReferences = { refer: schema => withoutNames(portable(schema)) as JsonSchema }

function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([keyword, inner]) =>
      keyword === TYPE_NAME ? [] : [[keyword, VALUES.has(keyword) ? inner : withoutNames(inner)]],
    ),
  )
}

export class SchemaRegistry {
  readonly #names = new Map<string, string>()
  readonly #schemas = new Map<string, JsonSchema>()
  readonly #portable = new WeakMap<object, JsonSchema>()

  /** A reference to the schema, which is added if it has a title; other schemas are returned as they are. */
  refer(given: JsonSchema): JsonSchema {
    let schema = this.#portable.get(given)
    if (schema === undefined) {
      schema = this.#referInside(portable(given)) as JsonSchema
      this.#portable.set(given, schema)
    }
    return typeof schema.title === 'string' ? this.#add(schema.title, schema) : schema
  }

  /** Replaces schemas that have a type name with references, the inner ones first. */
  #referInside(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(item => this.#referInside(item))
    if (typeof value !== 'object' || value === null) return value
    const { [TYPE_NAME]: name, ...members } = value as JsonSchema
    const schema = Object.fromEntries(
      Object.entries(members).map(([keyword, inner]) => [
        keyword,
        VALUES.has(keyword) ? inner : this.#referInside(inner),
      ]),
    )
    return typeof name === 'string' ? this.#add(name, schema) : schema
  }

  #add(title: string, schema: JsonSchema): JsonSchema {
    const text = JSON.stringify(schema)
    let name = this.#names.get(text)
    if (name === undefined) {
      name = this.#uniqueName(title)
      this.#names.set(text, name)
      this.#schemas.set(name, schema)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** All named schemas. */
  list(): Record<string, JsonSchema> {
    return Object.fromEntries(this.#schemas)
  }

  /** Only some characters are allowed in keys of components (OpenAPI 3.1.0, 4.8.7). */
  #uniqueName(title: string): string {
    const stem = title.replace(/[^A-Za-z0-9._-]/g, '_')
    let name = stem
    for (let count = 2; this.#schemas.has(name); count++) name = `${stem}${count}`
    return name
  }
}

/** Keywords whose values are not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples', 'required'])

/**
 * A value of several types is one of several schemas; a constant `true` is an enumeration; arrays have `items`; enumerations of texts have a type, and no values that differ only in case, which would be one constant;
 * only single values are defaults and constants.
 */
function portable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(portable)
  if (typeof value !== 'object' || value === null) return value
  const schema: JsonSchema = Object.fromEntries(
    Object.entries(value).map(([keyword, inner]) => [keyword, VALUES.has(keyword) ? inner : portable(inner)]),
  )
  const { type, default: byDefault, enum: values } = schema
  if (type === 'array' && schema.items === undefined && schema.prefixItems === undefined) schema.items = {}
  if (typeof byDefault === 'object' && byDefault !== null && typeof type === 'string') delete schema.default
  if (Array.isArray(schema.const)) {
    const { const: constant, ...rest } = schema
    return { type: 'array', items: {}, ...(constant.length === 0 && { maxItems: 0 }), ...rest }
  }
  if (typeof schema.const === 'boolean') {
    const { const: constant, ...rest } = schema
    return { ...rest, type: 'boolean', enum: [constant] }
  }
  if (Array.isArray(type) && type.filter(name => name !== 'null').length > 1 && schema.anyOf === undefined) {
    const { type: names, ...rest } = schema
    return { ...rest, anyOf: (names as string[]).map(name => portable({ type: name })) }
  }
  if (isTexts(values)) {
    schema.type ??= 'string'
    if (new Set(values.map(text => text.toLowerCase())).size < values.length) {
      delete schema.enum
      schema.pattern = `^(?:${values.map(literal).join('|')})$`
    }
  }
  return schema
}

function isTexts(values: unknown): values is string[] {
  return Array.isArray(values) && values.length > 0 && values.every(value => typeof value === 'string')
}

/** Escapes only what regular expressions with the flag `u` allow to escape (JSON Schema 2020-12, 6.4). */
function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
