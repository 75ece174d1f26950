/** Named schemas of the OpenAPI document: operations refer to them, so that generated clients have one type for each. */
import type { JsonSchema } from '../contract/plugin.ts'

export class SchemaRegistry {
  readonly #names = new Map<string, string>()
  readonly #schemas = new Map<string, JsonSchema>()

  /** A reference to the schema, which is added if it has a title; other schemas are returned as they are. */
  refer(schema: JsonSchema): JsonSchema {
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
