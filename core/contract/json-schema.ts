/** JSON Schema (2020-12) as plugins write it: options, parameters, bodies. */

export type JsonSchema = { [keyword: string]: unknown }
