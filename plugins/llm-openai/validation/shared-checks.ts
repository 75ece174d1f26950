/** Checks that chat completions and responses have in common. Rules are reported without the prefix of the format. */
import { isRecord } from 'svc/toolkit'
import type { CheckedRequest, Engine, ModelClassName, ViolationValues } from '../../llm/types.ts'

export type ReportShared = (name: string, at: string, values?: ViolationValues) => void
type Body = Readonly<Record<string, unknown>>

const MAX_NAME = 64
const NAME = /^[a-zA-Z0-9_-]+$/
/** Longer names are not tested against the pattern. */
const MAX_TESTED = 256
const METADATA = { pairs: 16, key: 64, value: 512 }

/** Reports members that are not known. */
export function checkMembers(
  value: Body,
  known: ReadonlySet<string>,
  path: string,
  { fields }: CheckedRequest,
  report: ReportShared,
): void {
  for (const name in value) {
    if (known.has(name) || fields.has(name)) continue
    if (path === '') report('unknown-field', name)
    else report('unknown-field', `${path}.${name}`, { form: 'nested' })
  }
}

/** The name of a function. */
export function checkName(name: unknown, at: string, report: ReportShared): void {
  if (typeof name !== 'string') return
  if (name.length > MAX_NAME) report('tool-name', at, { form: 'long', max: MAX_NAME, n: name.length })
  if (name.length <= MAX_TESTED && !NAME.test(name)) report('tool-name', at)
}

export interface Range {
  kind: 'decimal' | 'integer'
  min: number
  /** Default: none. */
  max?: number
}

/** Most requests have few members, so these are looked up, and not the other way around. */
export function checkRanges(
  body: Body,
  ranges: Readonly<Record<string, Range>>,
  report: ReportShared,
  rule = 'range',
): void {
  for (const name in body) {
    const value = body[name]
    if (typeof value !== 'number' || !Object.hasOwn(ranges, name)) continue
    const { kind, min, max } = ranges[name]!
    if (max !== undefined && value > max) report(rule, name, { kind, bound: max, value })
    else if (value < min) report(rule, name, { form: 'below', kind, bound: min, value })
  }
}

export function checkMetadata(body: Body, report: ReportShared): void {
  const { metadata } = body
  if (!isRecord(metadata)) return
  const pairs = Object.entries(metadata)
  if (pairs.length > METADATA.pairs) report('metadata', 'metadata', { n: pairs.length })
  for (const [key, value] of pairs) {
    if (key.length > METADATA.key)
      report('metadata', `metadata.${key}`, { form: 'long', max: METADATA.key, n: key.length })
    if (typeof value === 'string' && value.length > METADATA.value)
      report('metadata', `metadata.${key}`, { form: 'long', max: METADATA.value, n: value.length })
  }
}

/** Keywords that a strict schema may not have. */
const NOT_STRICT = ['allOf', 'not', 'dependentRequired', 'dependentSchemas', 'if', 'then', 'else', 'uniqueItems']

/** A schema, and how the vendor names it. */
export interface CheckedSchema {
  schema: unknown
  name: unknown
  /** `function` or `response_format`. */
  of: string
  at: string
  isStrict: boolean
  /** The rule for what strict schemas may not have. */
  strictRule: string
}

/** Reports arrays without items and, in a strict schema, what strict schemas may not have. */
export function checkSchema(
  engine: Engine,
  { nodes }: CheckedRequest,
  { schema, name, of, at, isStrict, strictRule }: CheckedSchema,
  report: ReportShared,
): void {
  engine.walkSchema(schema, nodes, (node, path) => {
    if (of === 'function' && isArraySchema(node) && node.items === undefined && node.prefixItems === undefined)
      report('schema-items', at, { of, name, context: contextOf(path) })
    if (!isStrict) return
    const context = contextOf(path)
    if (isRecord(node.properties) || node.type === 'object') {
      if (node.additionalProperties !== false) report(strictRule, at, { form: 'additional', of, name, context })
      const required = new Set<unknown>(Array.isArray(node.required) ? node.required : [])
      for (const key in isRecord(node.properties) ? node.properties : {})
        if (!required.has(key)) report(strictRule, at, { form: 'required', of, name, context, key })
    }
    for (const keyword of NOT_STRICT)
      if (node[keyword] !== undefined) report(strictRule, at, { form: 'keyword', of, name, context, keyword })
  })
}

function isArraySchema({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === 'array'
}

/** A path as a tuple of Python. */
function contextOf(path: readonly string[]): string {
  return `(${path.map(part => `'${part}'`).join(', ')}${path.length === 1 ? ',' : ''})`
}

/** The parameters of a function. Absent and empty ones are allowed. */
export function checkParameters(
  engine: Engine,
  request: CheckedRequest,
  { parameters, name, at, isStrict }: { parameters: unknown; name: unknown; at: string; isStrict: boolean },
  report: ReportShared,
): void {
  if (!isRecord(parameters) || Object.keys(parameters).length === 0) return
  if (parameters.type !== 'object')
    report('schema-root', at, {
      of: 'function',
      name,
      type: typeof parameters.type === 'string' ? parameters.type : 'None',
    })
  checkSchema(
    engine,
    request,
    { schema: parameters, name, of: 'function', at, isStrict, strictRule: 'schema-strict' },
    report,
  )
}

/** Parameters that models which reason take only with their defaults. */
const SAMPLING: readonly [name: string, usual: unknown][] = [
  ['temperature', 1],
  ['top_p', 1],
  ['frequency_penalty', 0],
  ['presence_penalty', 0],
  ['logprobs', false],
]

/** `effort`: the effort that the request states. */
export function checkSampling(
  body: Body,
  classes: readonly ModelClassName[],
  effort: unknown,
  report: ReportShared,
): void {
  const reasons =
    classes.includes('o') ||
    classes.includes('gpt5') ||
    (classes.includes('gpt5.1+') && typeof effort === 'string' && effort !== 'none')
  if (!reasons) return
  for (const [name, usual] of SAMPLING) {
    const value = body[name]
    if (value === undefined || value === null || value === usual) continue
    if (name === 'temperature') report('sampling-reasoning', name, { form: 'temperature', value })
    else report('sampling-reasoning', name)
  }
}
