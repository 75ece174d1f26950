/** The warnings about a document, one function each. */
import { StepBudget } from 'svc/plugin'
import { isRecord, linearPattern } from 'svc/toolkit'
import type { ApiDocument } from '../document/api-document.ts'
import { type Operation, listOperations, methodsOf } from '../document/operations.ts'
import { PathTrie, templateNames } from '../document/path-trie.ts'
import { eachObject } from '../document/walk.ts'
import { issue, type Issue } from '../document/issue.ts'
import { own, ownObject, ownText, type Json, type JsonObject } from '../document/json.ts'
import { fragmentOf } from '../document/json-pointer.ts'
import { SchemaSet } from '../schema/schema-set.ts'
import { LIST_LIMIT } from './report.ts'
import { generationWarnings, keywordWarnings, outboundWarnings } from './unsupported.ts'

type Tokens = readonly (string | number)[]

/** All warnings about a deployable document. */
export function documentWarnings(document: ApiDocument): Issue[] {
  const operations = listOperations(document)
  const schemas = new SchemaSet(document)
  return [
    ...duplicateOperationIds(document),
    ...pathWarnings(document),
    ...undeclaredPathParameters(operations),
    ...missingSuccess(operations),
    ...unknownSchemes(document, operations),
    ...outboundWarnings(document, operations),
    ...schemaWarnings(document, schemas),
    ...generationWarnings(operations, schemas, LIST_LIMIT),
  ]
}

function duplicateOperationIds(document: ApiDocument): Issue[] {
  const seen = new Map<string, string>()
  const issues: Issue[] = []
  for (const [template, item] of Object.entries(ownObject(document.root, 'paths') ?? {})) {
    for (const { method, raw, at } of methodsOf(document.resolve(item) ?? {})) {
      const id = ownText(raw, 'operationId')
      if (id === undefined) continue
      const first = seen.get(id)
      if (first !== undefined)
        issues.push(
          issue(
            'duplicate_operation_id',
            fragmentOf(['paths', template, ...at, 'operationId']),
            `the operationId "${id}" is already used by ${first}`,
          ),
        )
      else seen.set(id, `${method} ${template}`)
    }
  }
  return issues
}

function pathWarnings(document: ApiDocument): Issue[] {
  const trie = new PathTrie<string>()
  const issues: Issue[] = []
  for (const template of Object.keys(ownObject(document.root, 'paths') ?? {})) {
    if (template.startsWith('x-')) continue
    const added = trie.add(template, template)
    const at = fragmentOf(['paths', template])
    if (added.added) continue
    if (added.unreachable)
      issues.push(
        issue(
          'path_unreachable',
          at,
          'no request can match this path: it must start with "/", must not contain "?" or "#", and can have at most 64 segments',
        ),
      )
    else
      issues.push(
        issue(
          'path_conflict',
          at,
          `matches the same requests as ${added.taken}, which takes precedence for methods that both define`,
        ),
      )
  }
  return issues
}

function undeclaredPathParameters(operations: readonly Operation[]): Issue[] {
  return operations.flatMap(operation => {
    const declared = new Set(
      operation.parameters.filter(parameter => parameter.in === 'path').map(parameter => parameter.name),
    )
    return templateNames(operation.template)
      .filter(name => !declared.has(name))
      .map(name => issue('path_parameter_undeclared', operation.at, `the path parameter "${name}" is not declared`))
  })
}

function missingSuccess(operations: readonly Operation[]): Issue[] {
  return operations
    .filter(operation => !operation.responses.some(({ status }) => /^(?:2|default)/.test(status)))
    .map(operation => issue('no_success_response', operation.at, 'neither a 2xx nor a default response is declared'))
}

function unknownSchemes(document: ApiDocument, operations: readonly Operation[]): Issue[] {
  const unknown = new Map<string, string>()
  for (const operation of operations) {
    for (const name of operation.security.flatMap(alternative => Object.keys(alternative)))
      if (!document.component('securitySchemes', name)) unknown.set(name, operation.at)
  }
  return [...unknown].map(([name, at]) =>
    issue('unknown_security_scheme', at, `the security scheme "${name}" is not defined; no request can satisfy it`),
  )
}

/** Warnings about patterns, dynamic references, schemas that can't be compiled, and invalid examples. */
function schemaWarnings(document: ApiDocument, schemas: SchemaSet): Issue[] {
  const issues: Issue[] = []
  const broken = new Set<object>()
  const formats = new Set<string>()
  // The check has a time limit of its own, in another thread.
  const steps = StepBudget.unlimited()
  eachObject(document.root, (object, tokens) => {
    if (issues.length > LIST_LIMIT) return
    const pattern = ownText(object, 'pattern')
    if (pattern !== undefined && !linearPattern(pattern, steps))
      issues.push(
        issue(
          'pattern_unsupported',
          fragmentOf([...tokens, 'pattern']),
          'the pattern is ignored: look-around, back-references and repetitions above 1000 are not supported',
        ),
      )
    issues.push(...keywordWarnings(object, tokens, formats))
    issues.push(...holderWarnings(object, tokens, document, schemas, broken))
  })
  return issues
}

/** Maximum number of validation steps for all examples together, so that large documents don't block other requests. */
const EXAMPLE_BUDGET = 5_000_000

function holderWarnings(
  object: JsonObject,
  tokens: Tokens,
  document: ApiDocument,
  schemas: SchemaSet,
  broken: Set<object>,
): Issue[] {
  const isHolder = isRecord(own(object, 'schema'))
  const schema = isHolder ? own(object, 'schema') : looksLikeSchema(object) ? object : undefined
  if (!isRecord(schema)) return []
  const direction = tokens.some(token => token === 'requestBody' || token === 'requestBodies' || token === 'parameters')
    ? 'request'
    : 'response'
  const found = listExamples(object, document, !isHolder)
  if (!isHolder && found.length === 0) return []
  const error = schemas.compileError(schema, direction)
  if (error !== null) {
    if (broken.has(schema)) return []
    broken.add(schema)
    return [
      issue(
        'schema_uncompilable',
        fragmentOf(isHolder ? [...tokens, 'schema'] : tokens),
        `the schema can't be used for validation: ${error}`,
      ),
    ]
  }
  return found.flatMap(({ steps, value }) => {
    if (schemas.references > EXAMPLE_BUDGET) return []
    const first = schemas.errors(schema, value, direction, StepBudget.unlimited(), { all: false })?.[0]
    return first
      ? [issue('example_invalid', fragmentOf([...tokens, ...steps]), `${first.path} ${first.message}`.trim())]
      : []
  })
}

function looksLikeSchema(object: JsonObject): boolean {
  return (
    (Object.hasOwn(object, 'example') || Array.isArray(own(object, 'examples'))) &&
    ['type', 'properties', 'items', 'allOf', 'oneOf', 'anyOf', 'enum', 'format'].some(keyword =>
      Object.hasOwn(object, keyword),
    )
  )
}

/** The examples next to or in a schema, with their locations. */
function listExamples(
  object: JsonObject,
  document: ApiDocument,
  isSchema: boolean,
): { steps: (string | number)[]; value: Json }[] {
  const found: { steps: (string | number)[]; value: Json }[] = []
  if (Object.hasOwn(object, 'example')) found.push({ steps: ['example'], value: object['example'] ?? null })
  const examples = own(object, 'examples')
  if (isSchema && Array.isArray(examples))
    for (const [index, value] of examples.entries()) found.push({ steps: ['examples', index], value })
  if (!isSchema && isRecord(examples)) {
    for (const [name, entry] of Object.entries(examples)) {
      const value = own(document.resolve(entry), 'value')
      if (value !== undefined) found.push({ steps: ['examples', name], value })
    }
  }
  return found
}
