/**
 * Schemas of the OpenAPI document. Those with a name are components that operations refer to, so that generated clients have
 * one type for each. All are in a form that generators of clients compile, and accept the same values as before.
 */
import type { JsonSchema } from '../contract/plugin.ts'

export class SchemaRegistry {
  readonly #names = new Map<string, string>()
  readonly #schemas = new Map<string, JsonSchema>()
  readonly #portable = new WeakMap<object, JsonSchema>()

  /** A reference to the schema, which is added if it has a title; other schemas are returned as they are. */
  refer(given: JsonSchema): JsonSchema {
    let schema = this.#portable.get(given)
    if (schema === undefined) {
      schema = portable(given) as JsonSchema
      this.#portable.set(given, schema)
    }
    if (typeof schema.title !== 'string') return schema
    const text = JSON.stringify(schema)
    let name = this.#names.get(text)
    if (name === undefined) {
      name = this.#uniqueName(schema.title)
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
 * Arrays have `items`; enumerations of texts have a type, and no values that differ only in case, which would be one constant;
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
