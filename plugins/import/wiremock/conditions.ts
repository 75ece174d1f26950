/** `request` of a stub of WireMock, as conditions of a rule. */
import { type Json, type JsonObject, StepBudget } from 'svc/plugin'
import { compileJsonPath, isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { literalPath } from '../stub/patterns.ts'
import type { Stub } from '../stub/stub.ts'
import { pathNames } from '../templates/handlebars.ts'
import type { ItemPath } from '../types.ts'
import { parsedJson, readMatcher } from './value-test.ts'

const BY_NAME: Readonly<Record<string, string>> = {
  headers: 'header',
  queryParameters: 'query',
  cookies: 'cookie',
  formParameters: 'form',
  pathParameters: 'path_params',
}

/** Adds the conditions to the stub. */
export function readRequest(request: Members, stub: Stub): void {
  readMethod(request, stub)
  readUrl(request, stub)
  for (const [name, key] of Object.entries(BY_NAME)) {
    for (const [field, matcher] of Object.entries(request.record(name) ?? {})) {
      const test = readMatcher(matcher, [...request.at(name), field], stub)
      if (test !== undefined) stub.and({ [key]: { [field]: test } })
    }
  }
  for (const [name, key] of [
    ['host', 'host'],
    ['clientIp', 'client_ip'],
  ] as const) {
    const matcher = request.take(name)
    const test = matcher === undefined ? undefined : readMatcher(matcher, request.at(name), stub)
    if (test !== undefined) stub.and({ [key]: test })
  }
  const scheme = request.text('scheme')
  if (scheme !== undefined) stub.and({ scheme })
  const credentials = request.object('basicAuthCredentials') ?? request.object('basicAuth')
  if (credentials !== undefined) {
    const pair = `${credentials.text('username') ?? ''}:${credentials.text('password') ?? ''}`
    stub.and({ header: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } })
  }
  for (const [index, pattern] of request.list('bodyPatterns').entries()) {
    const path = [...request.at('bodyPatterns'), index]
    if (isRecord(pattern)) readBody(new Members(pattern as JsonObject, path), stub)
    else stub.disabled(path, 'expected a matcher')
  }
  for (const [name, why] of [
    ['multipartPatterns', 'conditions on parts of multipart bodies have no counterpart'],
    ['customMatcher', 'custom matchers are code'],
    ['port', 'rules do not see the port of a request'],
  ] as const)
    if (request.take(name) !== undefined)
      stub.disabled(request.at(name), `${why}; the rule is written with enabled: false`)
  stub.others(request, 'disabled')
}

function readMethod(request: Members, stub: Stub): void {
  const method = request.text('method')
  const given = request.object('method')
  if (method !== undefined) {
    if (method.toUpperCase() !== 'ANY') stub.and({ method })
  } else if (given !== undefined) {
    const one = given.list('oneOf')
    const none = given.list('noneOf')
    if (one.length > 0) stub.and({ method: one as Json[] })
    if (none.length > 0) stub.and({ method: { not: { in: none as Json[] } } })
    stub.others(given, 'disabled')
  }
}

function readUrl(request: Members, stub: Stub): void {
  const url = request.text('url')
  if (url !== undefined) stub.and({ url: { equals: url } })
  const path = request.text('urlPath')
  if (path !== undefined) stub.and({ path: literalPath(path) })
  const template = request.text('urlPathTemplate')
  if (template !== undefined) stub.and({ path: template })
  for (const [name, key] of [
    ['urlPattern', 'url'],
    ['urlPathPattern', 'path'],
  ] as const) {
    const source = request.text(name)
    const pattern = source === undefined ? undefined : stub.pattern(request.at(name), source)
    if (pattern !== undefined) stub.and({ [key]: pattern })
  }
}

function readBody(pattern: Members, stub: Stub): void {
  const equal = pattern.take('equalToJson')
  if (equal !== undefined) readEqualJson(pattern, equal, stub)
  const path = pattern.take('matchesJsonPath')
  if (path !== undefined) readJsonPath(path, pattern.at('matchesJsonPath'), stub)
  const schema = pattern.take('matchesJsonSchema')
  if (schema !== undefined) {
    const parsed = parsedJson(schema)
    pattern.ignore('schemaVersion')
    if (parsed === undefined) stub.disabled(pattern.at('matchesJsonSchema'), 'the schema is not JSON')
    else stub.and({ json_schema: parsed })
  }
  const bytes = pattern.text('binaryEqualTo')
  if (bytes !== undefined) stub.and({ body_base64: bytes })
  for (const name of ['equalToXml', 'matchesXPath'])
    if (pattern.take(name) !== undefined) {
      pattern.ignore('enablePlaceholders', 'placeholderOpeningDelimiterRegex', 'placeholderClosingDelimiterRegex')
      pattern.ignore(
        'exemptedComparisons',
        'namespaceAwareness',
        'ignoreOrderOfSameNode',
        'xPathNamespaces',
        'valuePattern',
      )
      stub.disabled(pattern.at(name), 'conditions on XML have no counterpart')
    }
  const rest: JsonObject = {}
  for (const name of pattern.others()) rest[name] = pattern.take(name)!
  if (Object.keys(rest).length === 0) return
  const test = readMatcher(rest, pattern.path, stub)
  if (test !== undefined) stub.and({ body: isRecord(test) ? test : { equals: test } })
}

function readEqualJson(pattern: Members, equal: Json, stub: Stub): void {
  const value = parsedJson(equal)
  const [anyOrder, extra] = [pattern.take('ignoreArrayOrder') === true, pattern.take('ignoreExtraElements') === true]
  if (value === undefined) stub.disabled(pattern.at('equalToJson'), 'the text is not JSON')
  else if (/\$\{json-unit\./.test(JSON.stringify(value)))
    stub.disabled(pattern.at('equalToJson'), 'placeholders of JSON Unit have no counterpart')
  else stub.and({ json_equals: { value, ...(anyOrder ? { any_order: true } : {}), ...(extra ? { extra: true } : {}) } })
}

/** A path that selects something, or the value of a path and its test. */
function readJsonPath(given: Json, path: ItemPath, stub: Stub): void {
  const members = isRecord(given) ? new Members(given as JsonObject, path) : null
  const expression = members === null ? given : members.take('expression')
  if (typeof expression !== 'string') return stub.disabled(path, 'expected a JSONPath')
  try {
    compileJsonPath(expression, StepBudget.unlimited())
  } catch (error) {
    return stub.disabled(path, `not a JSONPath of RFC 9535: ${(error as Error).message.slice(0, 150)}`)
  }
  // What a path without wildcards selects must not be empty.
  const whole: Json =
    pathNames(expression) === undefined ? { exists: true } : { exists: true, not: { in: [null, {}, []] } }
  if (members === null) return stub.and({ json: { [expression]: whole } })
  const matcher: JsonObject = {}
  for (const name of members.others()) matcher[name] = members.take(name)!
  const inner = matcher.equalToJson
  if (inner !== undefined && Object.keys(matcher).length === 1) {
    const value = parsedJson(inner)
    if (value === undefined) return stub.disabled([...path, 'equalToJson'], 'the text is not JSON')
    return stub.and({ json: { [expression]: { equals: value } } })
  }
  const test = readMatcher(matcher, path, stub, true)
  if (test !== undefined) stub.and({ json: { [expression]: test } })
}
