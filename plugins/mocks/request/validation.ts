/** Validates a request against its operation: parameters, then the body. */
import type { StepBudget } from 'svc/plugin'
import type { Operation, Parameter } from '../document/operations.ts'
import type { Json } from '../document/json.ts'
import type { Flattener } from '../schema/flat-schema.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import type { ReadBody } from './body.ts'
import { coveringType } from './media-types.ts'
import { parameterValue, type RawParameters } from './parameters.ts'

/** A difference between a request and the document. */
export interface Violation {
  in: 'path' | 'query' | 'header' | 'cookie' | 'body' | 'security'
  path: string
  keyword: string
  message: string
}

const MAX_VIOLATIONS = 20
/** For larger bodies only the first error is reported: an array with a million invalid items has a million errors. */
const ALL_ERRORS_BYTES = 64 << 10

/** Called with the reason why a value could not be validated. */
type OnSkipped = (reason: string) => void

function skip(schemas: SchemaSet, schema: Json | undefined, onSkipped: OnSkipped): [] {
  onSkipped(schemas.compileError(schema, 'request') ?? 'validation takes too many steps')
  return []
}

/** The violations of the parameters in document order. */
export function checkParameters(
  operation: Operation,
  raw: RawParameters,
  schemas: SchemaSet,
  flattener: Flattener,
  onSkipped: OnSkipped,
  steps: StepBudget,
): Violation[] {
  const violations: Violation[] = []
  for (const parameter of operation.parameters) {
    if (violations.length >= MAX_VIOLATIONS) break
    violations.push(...checkParameter(parameter, raw, schemas, flattener, onSkipped, steps))
  }
  return violations.slice(0, MAX_VIOLATIONS)
}

function checkParameter(
  parameter: Parameter,
  raw: RawParameters,
  schemas: SchemaSet,
  flattener: Flattener,
  onSkipped: OnSkipped,
  steps: StepBudget,
): Violation[] {
  const value = parameterValue(parameter, raw, flattener)
  const place = `/${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`
  if (value === undefined)
    return parameter.required ? [{ in: parameter.in, path: place, keyword: 'required', message: 'is required' }] : []
  if (value === '' && parameter.in === 'query' && parameter.raw['allowEmptyValue'] === true) return []
  const errors = schemas.errors(parameter.schema, value, 'request', steps) ?? skip(schemas, parameter.schema, onSkipped)
  return errors.map(error => ({
    in: parameter.in,
    path: `${place}${error.path}`,
    keyword: error.keyword,
    message: error.message,
  }))
}

export interface RequestBody {
  bytes: Buffer
  contentType: string
  /** Null if there is no body. */
  read: ReadBody | null
}

/** Whether the operation accepts the media type of the body. The body is ignored if the operation declares none. */
export function isSupportedType(operation: Operation, body: RequestBody): boolean {
  const content = operation.requestBody?.content ?? []
  return body.bytes.length === 0 || content.length === 0 || coveringType(content, body.contentType) !== undefined
}

/** The violations of a body with an accepted media type. */
export function checkBody(
  operation: Operation,
  body: RequestBody,
  schemas: SchemaSet,
  onSkipped: OnSkipped,
  steps: StepBudget,
): Violation[] {
  const definition = operation.requestBody
  if (!definition) return []
  if (body.bytes.length === 0 || body.read === null)
    return definition.required
      ? [{ in: 'body', path: '', keyword: 'required', message: 'a request body is required' }]
      : []
  if (body.read.kind === 'malformed')
    return [{ in: 'body', path: '', keyword: body.read.keyword, message: body.read.message }]
  if (body.read.kind === 'opaque') return []
  const schema: Json | undefined = coveringType(definition.content, body.contentType)?.schema
  const errors =
    schemas.errors(schema, body.read.value, 'request', steps, { all: body.bytes.length <= ALL_ERRORS_BYTES }) ??
    skip(schemas, schema, onSkipped)
  return errors
    .slice(0, MAX_VIOLATIONS)
    .map(error => ({ in: 'body', path: error.path, keyword: error.keyword, message: error.message }))
}
