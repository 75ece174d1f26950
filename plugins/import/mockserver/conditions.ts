/** `httpRequest` of an expectation of MockServer, as conditions of a rule. */
import { type Json, type JsonObject, StepBudget } from 'svc/plugin'
import { compileJsonPath, isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { addConditions } from '../stub/match.ts'
import { textOf, type Stub } from '../stub/stub.ts'
import type { ItemPath } from '../types.ts'
import { readName, readText } from './value-test.ts'

const BY_NAME: Readonly<Record<string, string>> = {
  headers: 'header',
  queryStringParameters: 'query',
  cookies: 'cookie',
  pathParameters: 'path_params',
}
/** Kinds of bodies by the member that has the condition. */
const BODIES: Readonly<Record<string, string>> = {
  STRING: 'string',
  REGEX: 'regex',
  JSON: 'json',
  JSON_PATH: 'jsonPath',
  JSON_SCHEMA: 'jsonSchema',
  PARAMETERS: 'parameters',
  BINARY: 'base64Bytes',
  GRAPHQL: 'query',
  JSON_RPC: 'method',
  ALL_OF: 'bodyAllOf',
  XML: 'xml',
  XPATH: 'xpath',
  XML_SCHEMA: 'xmlSchema',
}
const OF_XML = ['XML', 'XPATH', 'XML_SCHEMA']
/** Kinds without a counterpart. */
const FOREIGN = ['FUZZY', 'MULTIPART', 'FILE']

/** Adds the conditions to the stub. */
export function readRequest(request: Members, stub: Stub): void {
  const isNegated = request.take('not') === true
  const match: JsonObject = {}
  readLine(request, match, stub)
  for (const [name, key] of Object.entries(BY_NAME)) {
    const given = request.take(name)
    if (given !== undefined) readNamed(given, request.at(name), key, match, stub)
  }
  const secure = request.take('secure')
  if (typeof secure === 'boolean') addConditions(match, { scheme: secure ? 'https' : 'http' })
  const body = request.take('body')
  if (body !== undefined) readBody(body, request.at('body'), match, stub)
  stub.others(request, 'disabled')
  stub.and(isNegated ? { none: [match] } : match)
}

function readLine(request: Members, match: JsonObject, stub: Stub): void {
  const method = request.take('method')
  const test = method === undefined || method === '' ? undefined : readText(method, request.at('method'), stub)
  if (test !== undefined) match.method = isPlain(test) && typeof method === 'string' ? method : test
  const path = request.take('path')
  if (path === undefined || path === '') return
  if (typeof path === 'string' && request.has('pathParameters') && !/[[\]()*+?^$|\\]/.test(path)) {
    match.path = path
    return
  }
  const pathTest = readText(path, request.at('path'), stub)
  if (pathTest !== undefined) match.path = pathTest
}

function isPlain(test: JsonObject): boolean {
  return typeof test.equals === 'string'
}

/** Fields by name: each name can have several values, all of which must be there. */
function readNamed(given: Json, path: ItemPath, key: string, match: JsonObject, stub: Stub): void {
  if (isRecord(given) && (given.keyMatchStyle ?? 'SUB_SET') !== 'SUB_SET')
    stub.disabled([...path, 'keyMatchStyle'], 'further values of a name are allowed')
  for (const { name: written, values, at } of namedValues(given, path)) {
    const name = readName(written)
    if (name === undefined) {
      stub.disabled(at, 'names that are patterns have no counterpart')
      continue
    }
    const tests = values.map((value, index) => readText(value, [...at, index], stub))
    if (tests.includes(undefined)) continue
    const all = tests as JsonObject[]
    const test: JsonObject = all.length === 0 ? { exists: true } : all.length === 1 ? all[0]! : { some_values: all }
    if (name.isNegated) addConditions(match, { none: [{ [key]: { [name.name]: test } }] })
    else if (name.isOptional && all.length <= 1)
      addConditions(match, { [key]: { [name.name]: { any: [{ exists: false }, test] } } })
    else if (name.isOptional) stub.disabled(at, 'an optional field with several values has no counterpart')
    else addConditions(match, { [key]: { [name.name]: test } })
  }
}

/** An object of names and values, or a list of objects with `name` and `values` (`value` of cookies). */
export function namedValues(given: Json, path: ItemPath): { name: string; values: readonly Json[]; at: ItemPath }[] {
  if (Array.isArray(given))
    return given.flatMap((item, index) =>
      isRecord(item)
        ? [
            {
              name: textOf(item.name as Json),
              values: listOf((item.values ?? item.value) as Json | undefined),
              at: [...path, index],
            },
          ]
        : [],
    )
  if (!isRecord(given)) return []
  return Object.entries(given as JsonObject)
    .filter(([name]) => name !== 'keyMatchStyle')
    .map(([name, values]) => ({ name, values: listOf(valuesOf(values)), at: [...path, name] }))
}

/** The values of `{"values": […]}`, which is a longer form of the list. */
function valuesOf(given: Json): Json {
  return isRecord(given) && Array.isArray(given.values) && Object.keys(given).length === 1
    ? (given.values as Json)
    : given
}

function listOf(values: Json | undefined): readonly Json[] {
  return values === undefined ? [] : Array.isArray(values) ? values : [values]
}

function readBody(body: Json, path: ItemPath, match: JsonObject, stub: Stub): void {
  if (typeof body === 'string') return addConditions(match, { body: { equals: body } })
  if (!isRecord(body)) return addConditions(match, { json_equals: { value: body, any_order: true, extra: true } })
  const kind = kindOf(body as JsonObject)
  // An object without a type is the JSON itself.
  if (kind === undefined)
    return addConditions(match, { json_equals: { value: body as JsonObject, any_order: true, extra: true } })
  if (FOREIGN.includes(kind)) return stub.disabled(path, `bodies of the type ${kind} have no counterpart`)
  const given = new Members(body as JsonObject, path)
  given.ignore('type', 'contentType', 'charset')
  const found: JsonObject = {}
  const [isNegated, isOptional] = [given.take('not') === true, given.take('optional') === true]
  readKind(kind, given, found, stub)
  stub.others(given, 'disabled')
  if (Object.keys(found).length === 0) return
  const test = isNegated ? { none: [found] } : found
  addConditions(match, isOptional ? { any: [{ body: { exists: false } }, test] } : test)
}

/** The kind by `type`, or by the only member that belongs to one. */
function kindOf(body: JsonObject): string | undefined {
  const { type } = body
  const written = typeof type === 'string' ? type.toUpperCase() : ''
  if (Object.hasOwn(BODIES, written) || FOREIGN.includes(written)) return written
  const names = Object.keys(body).filter(
    name => !['not', 'contentType', 'charset', 'matchType', 'subString', 'optional'].includes(name),
  )
  const shorthand = [
    'STRING',
    'REGEX',
    'JSON',
    'JSON_PATH',
    'JSON_SCHEMA',
    'PARAMETERS',
    'BINARY',
    'XML',
    'XPATH',
    'XML_SCHEMA',
  ]
  return names.length === 1 ? shorthand.find(kind => BODIES[kind] === names[0]) : undefined
}

function readKind(kind: string, given: Members, found: JsonObject, stub: Stub): void {
  const path = given.at(BODIES[kind]!)
  const value = given.take(BODIES[kind]!)
  if (OF_XML.includes(kind)) return stub.disabled(path, 'conditions on XML have no counterpart')
  switch (kind) {
    case 'STRING':
      found.body = given.take('subString') === true ? { contains: textOf(value) } : { equals: textOf(value) }
      given.ignore('rawBytes')
      return
    case 'REGEX': {
      const pattern = stub.pattern(path, textOf(value))
      if (pattern !== undefined) found.body = { ...pattern, ignore_case: true }
      return
    }
    case 'JSON': {
      const json = parsed(value)
      given.ignore('rawBytes')
      const isStrict = given.take('matchType') === 'STRICT'
      if (json === undefined) return stub.disabled(path, 'the text is not JSON')
      found.json_equals = isStrict ? { value: json } : { value: json, any_order: true, extra: true }
      return
    }
    case 'JSON_PATH':
      try {
        compileJsonPath(textOf(value), StepBudget.unlimited())
        found.json = { [textOf(value)]: { exists: true } }
      } catch (error) {
        stub.disabled(path, `not a JSONPath of RFC 9535: ${(error as Error).message.slice(0, 150)}`)
      }
      return
    case 'JSON_SCHEMA': {
      const schema = parsed(value)
      if (schema === undefined) return stub.disabled(path, 'the schema is not JSON')
      found.json_schema = schema
      return given.ignore('parameterStyles')
    }
    case 'PARAMETERS':
      return value === undefined ? undefined : readNamed(value, path, 'form', found, stub)
    case 'BINARY':
      found.body_base64 = textOf(value)
      return
    case 'GRAPHQL':
      if (given.has('operationName')) found.graphql = { operation: textOf(given.take('operationName')) }
      return stub.disabled(path, 'the text of a GraphQL document is not compared')
    case 'JSON_RPC':
      found.rpc = { method: textOf(value) }
      return
    default:
      for (const [index, part] of (Array.isArray(value) ? value : []).entries())
        readBody(part, [...path, index], found, stub)
  }
}

function parsed(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as Json
  } catch {
    return undefined
  }
}
