/** Owns JSON Schema 2020-12 of tools: what a schema must look like, and whether arguments fit it. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { isRecord, isToken, type JsonSchema } from 'svc/plugin'
import type { JsonObject } from '../types.ts'

/** Null when the arguments fit (defaults have been filled in), else a sentence that names argument and problem. */
export type Validate = (args: JsonObject) => string | null

/** Checks schemas against the meta-schema, whose compilation costs more than all tools together: it happens once. */
const metaSchema = new Ajv2020({ strict: false, logger: false })

/** Compiles a tool's input schema. Throws when it is no schema of an object. */
export function compileInput(schema: JsonSchema): Validate {
  if (schema.type !== 'object') throw new Error('the input schema must have "type": "object"')
  if (metaSchema.validateSchema(schema) !== true)
    throw new Error(`the input schema is no JSON Schema: ${metaSchema.errorsText(metaSchema.errors)}`)
  return compileValid(schema)
}

/** The same for a schema that is known to be one: compiled with the first call, as a server starts with dozens of them. */
export function compileLater(schema: JsonSchema): Validate {
  let validate: Validate | undefined
  return args => (validate ??= compileValid(schema))(args)
}

function compileValid(schema: JsonSchema): Validate {
  // One instance a schema: schemas of strangers may carry the same `$id` or `$anchor`.
  const validate = new Ajv2020({
    meta: false,
    validateSchema: false,
    strict: false,
    useDefaults: true,
    validateFormats: false,
    logger: false,
  }).compile<JsonObject>(schema)
  return args => (validate(args) ? null : describeProblem(validate.errors?.[0]))
}

/** An argument that a request header repeats. */
export interface RoutedArgument {
  argument: string
  /** The header as the schema spells it. */
  header: string
}

/** The routed arguments by lower-case header name. Throws on unusable annotations. */
export function routedArguments(schema: JsonSchema): ReadonlyMap<string, RoutedArgument> {
  const routed = new Map<string, RoutedArgument>()
  for (const [argument, property] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    if (!isRecord(property) || property['x-mcp-header'] === undefined) continue
    const name = property['x-mcp-header']
    if (typeof name !== 'string' || !isToken(name))
      throw new Error(`x-mcp-header of "${argument}" must be a header name (RFC 9110 token)`)
    if (!['string', 'integer', 'boolean'].includes(String(property.type)))
      throw new Error(`x-mcp-header of "${argument}" needs the type string, integer or boolean`)
    const header = `Mcp-Param-${name}`
    if (routed.has(header.toLowerCase())) throw new Error(`x-mcp-header "${name}" is used twice`)
    routed.set(header.toLowerCase(), { argument, header })
  }
  return routed
}

/** The schema without `x-mcp-header`, for versions that do not know it. */
export function withoutRouting(schema: JsonSchema): JsonSchema {
  if (routedArguments(schema).size === 0) return schema
  const properties = Object.entries(schema.properties as JsonObject).map(([name, property]) => {
    const { 'x-mcp-header': _, ...rest } = property as JsonObject
    return [name, rest]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

function describeProblem(error: ErrorObject | undefined): string {
  if (!error) return 'the arguments do not fit the input schema'
  const path = error.instancePath.split('/').slice(1).map(unescapePointer).join('.')
  const below = (name: unknown) => (path ? `${path}.${String(name)}` : String(name))
  if (error.keyword === 'required') return `missing argument "${below(error.params.missingProperty)}"`
  if (error.keyword === 'additionalProperties') return `unknown argument "${below(error.params.additionalProperty)}"`
  if (error.keyword === 'enum')
    return `argument "${path}" must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`
  return path ? `argument "${path}" ${error.message}` : `the arguments ${error.message}`
}

/** RFC 6901, 4. */
function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}
