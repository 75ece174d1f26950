/** Checks a definition before deployment and reports errors, warnings, and changes that affect clients. */
import { isRecord, shownText } from 'svc/toolkit'
import { boundsFor, tooLargeMessage, type Bounds } from '../bounds.ts'
import { CompiledApi } from '../api/compiled-api.ts'
import { readParts, type GivenParts, type Parts } from '../definition/definition.ts'
import { ApiDocument } from '../document/api-document.ts'
import { readDocument, type ReadResult } from '../document/read.ts'
import { checkReferences } from '../document/references.ts'
import { issue, type Issue } from '../document/issue.ts'
import { own, ownObject, type Json, type JsonObject } from '../document/json.ts'
import { methodsOf, responseFor } from '../document/operations.ts'
import { exampleNames } from '../api/response-choice.ts'
import { compareDocuments } from './changes.ts'
import { compositionWarnings, type Composer } from './composition.ts'
import { currentForm, type CurrentForm } from './current-form.ts'
import type { OfficialSchema } from './official-schema.ts'
import { LIST_LIMIT, type Report } from './report.ts'
import { checkGraph } from './graph-check.ts'
import { isGraphText } from '../graph/recognize.ts'
import type { DocumentFormat, MockKind } from '../document/kind.ts'
import { documentWarnings } from './warnings.ts'

export interface CheckInput extends GivenParts {
  text: string
  against: { version: number; text: string } | null
  publicMode: boolean
  maxDelayMs: number
  /** Report only errors. Compiling the official schemas for the warnings would slow down the start. */
  isBrief?: boolean
}

export interface CheckOutput {
  report: Report
  kind: MockKind
  /** What is compiled: an OpenAPI document as JSON text, or the SDL of a schema; null if it can't be served. */
  served: string | null
  format: DocumentFormat
}

/** Runs the check. Returns a report for every input. `compose` composes subgraphs; by default in this thread. */
export async function checkDefinition(
  input: CheckInput,
  official: OfficialSchema,
  compose: Composer = compositionWarnings,
): Promise<CheckOutput> {
  return isGraphText(input.text) ? checkGraph(input, compose) : checkOpenApi(input, official)
}

async function checkOpenApi(input: CheckInput, official: OfficialSchema): Promise<CheckOutput> {
  const started = performance.now()
  const bounds = boundsFor(input.publicMode)
  const report: Report = {
    deployable: false,
    against: null,
    errors: [],
    warnings: [],
    summary: null,
    changes: null,
    took_ms: 0,
  }
  const read =
    Buffer.byteLength(input.text) > bounds.documentBytes
      ? { error: issue('too_large', null, tooLargeMessage(bounds.documentBytes)) }
      : readDocument(input.text, bounds)
  const form = 'error' in read ? read : await currentForm(read.value, bounds)
  if ('error' in form) report.errors.push(form.error)
  else report.errors.push(...structureErrors(form.value, bounds))
  const readable = !('error' in form) && report.errors.length === 0
  if (readable) {
    await inspect(form.value, input, bounds, official, report)
    report.warnings.unshift(...form.warnings)
  }
  report.deployable = report.errors.length === 0
  if (!('error' in read)) for (const list of [report.errors, report.warnings]) addLines(list, read)
  report.took_ms = Math.round(performance.now() - started)
  return {
    report,
    kind: 'openapi',
    served: readable && !('error' in read) ? jsonOf(form, read, input.text) : null,
    format: 'error' in read ? 'json' : read.format,
  }
}

type Readable = Exclude<ReadResult, { error: Issue }>

function jsonOf(form: Exclude<CurrentForm, { error: Issue }>, { format }: Readable, text: string): string {
  return format === 'json' && !form.isConverted ? text : JSON.stringify(form.value)
}

async function inspect(
  root: JsonObject,
  input: CheckInput,
  bounds: Bounds,
  official: OfficialSchema,
  report: Report,
): Promise<void> {
  const api = new CompiledApi(root, bounds)
  report.summary = summarize(api, Buffer.byteLength(input.text))
  if (!input.isBrief) report.warnings.push(...(await official.findings(root)), ...documentWarnings(api.document))
  const parts = readParts(input, { bounds, maxDelayMs: input.maxDelayMs }, name => api.operation(name)?.key)
  if ('errors' in parts) report.errors.push(...parts.errors)
  else report.warnings.push(...rulesThatNeverMatch(api, parts.parts), ...securityNote(api, parts.parts))
  if (input.against) {
    report.against = input.against.version
    // A schema has nothing in common with the document.
    if (isGraphText(input.against.text)) return
    const before = input.against.text === input.text ? null : readDocument(input.against.text, bounds)
    if (before === null) report.changes = { unchanged: true, breaking: [], compatible: [] }
    else if (!('error' in before)) {
      const old = await currentForm(before.value, bounds)
      if (!('error' in old)) report.changes = compareDocuments(new ApiDocument(old.value, bounds), api.document)
    }
  }
}

/** Errors that prevent further checks. */
function structureErrors(root: JsonObject, bounds: Bounds): Issue[] {
  const version = versionError(root)
  if (version) return [version]
  if (!isRecord(own(root, 'paths')) && !isRecord(own(root, 'webhooks')) && !isRecord(own(root, 'components')))
    return [issue('not_openapi', '#', 'the document has no paths, webhooks or components')]
  let operations = 0
  for (const item of Object.values(ownObject(root, 'paths') ?? {}))
    if (isRecord(item)) operations += methodsOf(item).length
  if (operations > bounds.operations)
    return [
      issue(
        'too_many_operations',
        '#/paths',
        `the document has ${operations} operations, more than the maximum of ${bounds.operations}`,
      ),
    ]
  return checkReferences(root, bounds, LIST_LIMIT + 1)
}

function versionError(root: JsonObject): Issue | null {
  const openapi = own(root, 'openapi')
  if (Object.hasOwn(root, 'swagger'))
    return issue(
      'unsupported_version',
      '#/swagger',
      `Swagger ${shownText(root['swagger']).slice(0, 20)} is not supported; expected Swagger 2.0, or OpenAPI 3.0, 3.1 or 3.2`,
    )
  if (openapi === undefined) return issue('not_openapi', '#', 'the key "openapi" is missing')
  if (typeof openapi !== 'string' || !/^3\.[012](?:\.|$)/.test(openapi))
    return issue(
      'unsupported_version',
      '#/openapi',
      `OpenAPI ${shownText(openapi).slice(0, 20)} is not supported; expected 3.0, 3.1 or 3.2, or Swagger 2.0`,
    )
  return null
}

function summarize(api: CompiledApi, bytes: number): Report['summary'] {
  const components = ownObject(api.document.root, 'components')
  const examples = api.operations.reduce(
    (count, operation) =>
      count +
      operation.responses.reduce(
        (sum, response) =>
          sum +
          response.content.reduce(
            (found, { raw }) =>
              found + (Object.hasOwn(raw, 'example') ? 1 : Object.keys(ownObject(raw, 'examples') ?? {}).length),
            0,
          ),
        0,
      ),
    0,
  )
  return {
    openapi: api.document.openapi,
    title: api.document.title,
    api_version: api.document.apiVersion,
    operations: api.operations.length,
    schemas: Object.keys(ownObject(components, 'schemas') ?? {}).length,
    examples,
    bytes,
    security_schemes: Object.keys(ownObject(components, 'securitySchemes') ?? {}).slice(0, 100),
  }
}

function rulesThatNeverMatch(api: CompiledApi, parts: Parts): Issue[] {
  const issues: Issue[] = []
  for (const [index, rule] of parts.rules.entries()) {
    const at = `rules[${index}]`
    const operation = rule.operation === null ? undefined : api.operation(rule.operation)
    if (rule.operation !== null && !operation)
      issues.push(issue('rule_never_matches', `${at}.operation`, `there is no operation "${rule.operation}"`))
    if (!operation) continue
    const { status, example, body } = rule.outcome
    const names = (status === null ? operation.responses : [responseFor(operation, status)]).flatMap(response =>
      response ? exampleNames(response) : [],
    )
    if (example !== null && !names.includes(example))
      issues.push(issue('rule_never_matches', `${at}.then.example`, `there is no example "${example}"`))
    else if (status !== null && body === undefined && !responseFor(operation, status))
      issues.push(
        issue(
          'rule_never_matches',
          `${at}.then.status`,
          `the document has no response ${status} for "${operation.key}"; the body will be empty`,
        ),
      )
  }
  for (const key of Object.keys(parts.overrides.asJson()))
    if (key !== '*' && !api.operation(key))
      issues.push(issue('rule_never_matches', `overrides[${JSON.stringify(key)}]`, `there is no operation "${key}"`))
  return issues
}

function securityNote(api: CompiledApi, parts: Parts): Issue[] {
  const isSecured = api.operations.some(operation =>
    operation.security.some(alternative => Object.keys(alternative).length > 0),
  )
  return isSecured && parts.settings.security !== 'enforce'
    ? [
        issue(
          'security_not_enforced',
          'settings.security',
          `the document requires credentials, but with security "${parts.settings.security}" requests without them are accepted`,
        ),
      ]
    : []
}

/** Adds line numbers of YAML sources to the reported issues. */
function addLines(list: Issue[], read: Readable): void {
  for (const entry of list.slice(0, LIST_LIMIT)) {
    if (entry.line !== undefined || !entry.at?.startsWith('#')) continue
    const tokens: Json[] =
      entry.at === '#'
        ? []
        : entry.at
            .slice(2)
            .split('/')
            .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    const line = read.lineOf(tokens.map(String))
    if (line !== undefined) entry.line = line
  }
}
