/** Owns the JSON Schemas (2020-12) of tools: checks schemas and validates arguments. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { type JsonSchema } from 'svc/plugin'
import { isRecord, isToken, nearest } from 'svc/toolkit'
import type { JsonObject } from '../types.ts'

/** Null if the arguments are valid (defaults are filled in), else a message that names the argument and the problem. */
export type Validate = (args: JsonObject) => string | null

/** Checks schemas against the meta-schema. Shared, because compiling the meta-schema is expensive. */
const metaSchema = new Ajv2020({ strict: false, logger: false })

/** Checks and compiles a tool's input schema. Throws if it is not a valid schema of an object. */
export function compileInput(schema: JsonSchema): Validate {
  if (schema.type !== 'object') throw new Error('the input schema must have "type": "object"')
  if (metaSchema.validateSchema(schema) !== true)
    throw new Error(`the input schema is not a valid JSON Schema: ${metaSchema.errorsText(metaSchema.errors)}`)
  return compilesSurely(schema) ? compileLater(schema) : compileValid(schema)
}

/** Keywords with which a valid schema can always be compiled; others, such as references, can be wrong. */
const PLAIN = new Set(
  'type title description default examples const required format deprecated minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems uniqueItems minProperties maxProperties readOnly writeOnly'.split(
    ' ',
  ),
)

/** Whether a schema that is valid can be compiled without an error. */
function compilesSurely(schema: unknown): boolean {
  if (typeof schema === 'boolean') return true
  return (
    isRecord(schema) &&
    Object.entries(schema).every(([keyword, value]) => {
      if (keyword === 'properties') return Object.values(value as JsonObject).every(compilesSurely)
      if (keyword === 'patternProperties')
        return Object.entries(value as JsonObject).every(([key, inner]) => isPattern(key) && compilesSurely(inner))
      if (keyword === 'items' || keyword === 'not' || keyword === 'additionalProperties') return compilesSurely(value)
      if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf')
        return (value as unknown[]).every(compilesSurely)
      if (keyword === 'enum') return (value as unknown[]).length > 0
      if (keyword === 'pattern') return isPattern(value as string)
      return PLAIN.has(keyword) || keyword.startsWith('x-')
    })
  )
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

/** The same for a schema that is known to be valid: compiled at the first call, to keep the start fast. */
export function compileLater(schema: JsonSchema): Validate {
  let validate: Validate | undefined
  return args => (validate ??= compileValid(schema))(args)
}

function compileValid(schema: JsonSchema): Validate {
  // One instance per schema: schemas of different plugins may have the same `$id` or `$anchor`.
  const validate = new Ajv2020({
    meta: false,
    validateSchema: false,
    strict: false,
    useDefaults: true,
    validateFormats: false,
    logger: false,
    // Errors contain the schema, whose names are suggested.
    verbose: true,
  }).compile<JsonObject>(schema)
  return args => (validate(args) ? null : describeProblem(validate.errors?.[0]))
}

/** An argument that is repeated in a request header. */
export interface RoutedArgument {
  argument: string
  /** The header as the schema spells it. */
  header: string
}

/** The routed arguments by lower-case header name. Throws on invalid `x-mcp-header` annotations. */
export function routedArguments(schema: JsonSchema): ReadonlyMap<string, RoutedArgument> {
  const routed = new Map<string, RoutedArgument>()
  for (const [argument, property] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    if (!isRecord(property) || property['x-mcp-header'] === undefined) continue
    const name = property['x-mcp-header']
    if (typeof name !== 'string' || !isToken(name))
      throw new Error(`x-mcp-header of "${argument}" must be a header name (RFC 9110 token)`)
    if (!['string', 'integer', 'boolean'].includes(String(property.type)))
      throw new Error(`x-mcp-header of "${argument}" requires the type string, integer or boolean`)
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
  if (error.keyword === 'additionalProperties') {
    const name = String(error.params.additionalProperty)
    const known = isRecord(error.parentSchema?.properties) ? Object.keys(error.parentSchema.properties) : []
    // Short names are all near each other.
    const meant = name.length < 3 || name.length > 200 ? undefined : nearest(name, known)
    return `unknown argument "${below(name)}"${meant === undefined ? '' : ` (did you mean "${below(meant)}"?)`}`
  }
  if (error.keyword === 'enum')
    return `argument "${path}" must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`
  return path ? `argument "${path}" ${error.message}` : `the arguments ${error.message}`
}

/** RFC 6901, 4. */
function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}
