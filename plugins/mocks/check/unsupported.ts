/** Warnings about what a mock does not do with a document: keywords that are not honored, data that can't be generated. */
import { isOutputError, isTooExpensive, OutputBudget, StepBudget } from 'svc/plugin'
import type { ApiDocument } from '../document/api-document.ts'
import type { Operation } from '../document/operations.ts'
import { issue, type Issue } from '../document/issue.ts'
import { own, ownObject, ownText, type Json, type JsonObject } from '../document/json.ts'
import { fragmentOf } from '../document/json-pointer.ts'
import { compileExpression } from '../exchange/runtime-expression.ts'
import { isJsonType } from '../request/media-types.ts'
import { isKnownFormat } from '../schema/generated-text.ts'
import { Sampler } from '../schema/sample.ts'
import type { SchemaSet } from '../schema/schema-set.ts'

type Tokens = readonly (string | number)[]

/** Steps of generating data for all responses together, worth about a second; further ones are not tried. */
const GENERATION_STEPS = 100_000_000
const VALUE_BYTES = 1 << 20

/** Reports each response schema whose generated data is not valid. */
export function generationWarnings(operations: readonly Operation[], schemas: SchemaSet, limit: number): Issue[] {
  const sampler = new Sampler(schemas)
  const generation = new StepBudget(GENERATION_STEPS)
  const checks = new StepBudget(GENERATION_STEPS)
  const issues: Issue[] = []
  const seen = new Set<unknown>()
  for (const operation of operations) {
    for (const response of operation.responses) {
      for (const { type, schema, sequence } of response.content) {
        const generated = sequence ?? schema
        if (generated === undefined || !(isJsonType(type) || type.includes('*') || sequence !== undefined)) continue
        // References to one schema are different objects.
        const key = ownText(generated as JsonObject, '$ref') ?? generated
        if (seen.has(key) || issues.length >= limit) continue
        seen.add(key)
        const problem = problemOf(generated, sampler, schemas, { generation, checks })
        const at = `${operation.at}${fragmentOf(['responses', response.status, 'content', type]).slice(1)}`
        if (problem !== null)
          issues.push(issue('generated_invalid', `${at}/${sequence === undefined ? 'schema' : 'itemSchema'}`, problem))
      }
    }
  }
  return issues
}

function problemOf(
  schema: Json,
  sampler: Sampler,
  schemas: SchemaSet,
  { generation, checks }: { generation: StepBudget; checks: StepBudget },
): string | null {
  if (generation.isUsedUp || checks.isUsedUp || schemas.compileError(schema, 'response') !== null) return null
  const budgets = { output: new OutputBudget(VALUE_BYTES), generation, checks, writing: checks }
  try {
    const value = sampler.sample(schema, { seed: 'check', useExamples: true, budgets })
    const first = schemas.errors(schema, value, 'response', checks, { all: false })?.[0]
    return first
      ? `generated data breaks "${first.keyword}"${first.path && ` at ${first.path}`}: ${first.message}`
      : null
  } catch (error) {
    if (isOutputError(error)) return `generated data would have more than ${VALUE_BYTES} bytes`
    if (isTooExpensive(error)) return null
    throw error
  }
}

/** Warnings about one object of the document. `formats` has those that were reported. */
export function keywordWarnings(object: JsonObject, tokens: Tokens, formats: Set<string>): Issue[] {
  const issues: Issue[] = []
  const at = (keyword: string): string => fragmentOf([...tokens, keyword])
  if (typeof own(object, 'externalValue') === 'string' && !Object.hasOwn(object, 'value'))
    issues.push(
      issue(
        'external_value_ignored',
        at('externalValue'),
        'externalValue is not fetched, so the example is not used; write its value into the document as "value"',
      ),
    )
  const format = ownText(object, 'format')
  const isText = own(object, 'type') === 'string' && own(object, 'pattern') === undefined
  if (format !== undefined && isText && !formats.has(format) && !isKnownFormat(format)) {
    formats.add(format)
    issues.push(
      issue(
        'format_unknown',
        at('format'),
        `the format "${format.slice(0, 100)}" is not known: any string is valid, and generated strings are words`,
      ),
    )
  }
  for (const keyword of ['$dynamicRef', '$recursiveRef'])
    if (Object.hasOwn(object, keyword))
      issues.push(issue('dynamic_ref_ignored', at(keyword), `${keyword} is not supported and ignored`))
  return issues
}

/** Warnings about requests that the document describes, and that are not sent. */
export function outboundWarnings(document: ApiDocument, operations: readonly Operation[]): Issue[] {
  const issues: Issue[] = []
  const webhooks = Object.keys(ownObject(document.root, 'webhooks') ?? {})
  if (webhooks.length > 0)
    issues.push(
      issue(
        'webhooks_not_sent',
        '#/webhooks',
        `${webhooks.length === 1 ? '1 webhook is' : `${webhooks.length} webhooks are`} not sent, because no request names a URL for it; only callbacks are`,
      ),
    )
  for (const { callbacks } of operations)
    for (const { expression, operation } of callbacks)
      if (compileExpression(expression) === null)
        issues.push(
          issue(
            'callback_not_sent',
            operation.at,
            `"${expression.slice(0, 200)}" is not a runtime expression, so the callback is not sent`,
          ),
        )
  return issues
}
