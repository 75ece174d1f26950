/** Matchers of WireMock for one value, as value tests. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { type Stub, textOf } from '../stub/stub.ts'
import type { ItemPath } from '../types.ts'

const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  equalToNumber: ['gte', 'lte'],
  greaterThanNumber: ['gt'],
  greaterThanEqualNumber: ['gte'],
  lessThanNumber: ['lt'],
  lessThanEqualNumber: ['lte'],
}

/** The test, or undefined if a finding says why there is none. `isJson`: the value is one of JSON, not a text. */
export function readMatcher(value: Json, path: ItemPath, stub: Stub, isJson = false): Json | undefined {
  if (typeof value === 'string') return value
  if (!isRecord(value)) return void stub.disabled(path, 'expected a matcher')
  const given = new Members(value as JsonObject, path)
  const tests = readTests(given, stub, isJson)
  given.ignore('caseInsensitive')
  const others = given.others()
  for (const name of others) stub.disabled(given.at(name), `svc has no counterpart of the matcher ${name}`)
  if (tests === undefined || others.length > 0) return undefined
  if (tests.length === 0) return void stub.disabled(path, 'expected a matcher')
  return tests.length === 1 ? tests[0]! : { all: tests }
}

function readTests(given: Members, stub: Stub, isJson: boolean): Json[] | undefined {
  const tests: Json[] = []
  let isWhole = true
  const add = (test: Json | undefined): void => {
    if (test === undefined) isWhole = false
    else tests.push(test)
  }
  const text = (name: string, test: (value: string, path: ItemPath) => Json | undefined): void => {
    const value = given.take(name)
    if (value !== undefined) add(test(textOf(value), given.at(name)))
  }
  const ignoresCase = given.has('caseInsensitive') && given.take('caseInsensitive') === true
  text('equalTo', value =>
    ignoresCase ? { equals: value, ignore_case: true } : isJson ? equalText(value) : { equals: value },
  )
  text('contains', value => ({ contains: value }))
  text('doesNotContain', value => ({ not: { contains: value } }))
  text('matches', (value, path) => stub.pattern(path, value))
  text('doesNotMatch', (value, path) => {
    const pattern = stub.pattern(path, value)
    return pattern === undefined ? undefined : { not: { ...pattern } }
  })
  if (given.take('absent') === true) add({ exists: false })
  for (const [name, keys] of Object.entries(NUMBERS)) {
    const value = given.take(name)
    if (value === undefined) continue
    const number = Number(value)
    if (Number.isNaN(number)) add(void stub.disabled(given.at(name), 'expected a number'))
    else add(Object.fromEntries(keys.map(key => [key, number])))
  }
  for (const [name, key] of [
    ['and', 'all'],
    ['or', 'any'],
    ['hasExactly', 'all_values'],
    ['includes', 'some_values'],
  ] as const) {
    if (!given.has(name)) continue
    const read = given.list(name).map((item, index) => readMatcher(item, [...given.at(name), index], stub, isJson))
    add(read.includes(undefined) ? undefined : { [key]: read as Json[] })
  }
  const negated = given.take('not')
  if (negated !== undefined) {
    const read = readMatcher(negated, given.at('not'), stub, isJson)
    add(read === undefined ? undefined : { not: isRecord(read) ? read : { equals: read } })
  }
  const schema = given.take('matchesJsonSchema')
  given.ignore('schemaVersion')
  if (schema !== undefined) {
    const parsed = parsedJson(schema)
    add(
      parsed === undefined
        ? void stub.disabled(given.at('matchesJsonSchema'), 'the schema is not JSON')
        : { schema: parsed },
    )
  }
  return isWhole ? tests : undefined
}

/** Values of JSON are compared as text there. */
function equalText(value: string): Json {
  const number = Number(value)
  if (value.trim() !== '' && !Number.isNaN(number)) return { in: [value, number] }
  return value === 'true' || value === 'false' ? { in: [value, value === 'true'] } : { equals: value }
}

/** JSON, or the JSON in a text; undefined for other texts. */
export function parsedJson(value: Json): Json | undefined {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as Json
  } catch {
    return undefined
  }
}
