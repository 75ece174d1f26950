/** A JSON Schema (2020-12) in a plugin: of options, parameters and bodies. */

export type JsonSchema = { [keyword: string]: unknown }
