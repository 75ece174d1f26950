/** Rules of a response of Mockoon, as conditions. */
import type { Json, JsonObject } from 'svc/plugin'
import { toRe2Syntax, escapeToken, isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { partPattern } from '../stub/patterns.ts'
import { textOf, type Stub } from '../stub/stub.ts'
import type { ItemPath } from '../types.ts'

const WITHOUT_COUNTERPART = ['global_var', 'data_bucket', 'templating']
const BY_NAME: Readonly<Record<string, string>> = {
  query: 'query',
  header: 'header',
  cookie: 'cookie',
  params: 'path_params',
}

/** The number of the request that the only rule of a response asks for; null for other rules. */
export function requestNumber(rules: readonly Json[]): number | null {
  const [rule, ...others] = rules
  if (!isRecord(rule) || others.length > 0 || rule.target !== 'request_number') return null
  const number = Number(rule.value)
  return rule.operator === 'equals' && rule.invert !== true && Number.isInteger(number) && number >= 1 ? number : null
}

/** Adds the conditions of all rules, joined by and or or. */
export function readRules(rules: readonly Json[], operator: string, path: ItemPath, stub: Stub): void {
  const read = rules.map((rule, index) =>
    isRecord(rule) ? readRule(new Members(rule as JsonObject, [...path, index]), stub) : undefined,
  )
  const known = read.filter(one => one !== undefined)
  if (known.length < read.length) return
  if (operator === 'AND') for (const one of known) stub.and(one)
  else if (known.length === 1) stub.and(known[0]!)
  else stub.and({ any: known })
}

/** The conditions of one rule; undefined if a finding says why there are none. */
function readRule(rule: Members, stub: Stub): JsonObject | undefined {
  const target = rule.text('target') ?? ''
  const operator = rule.text('operator') ?? 'equals'
  const [modifier, value] = [rule.text('modifier') ?? '', textOf(rule.take('value'))]
  const isInverted = rule.take('invert') === true
  stub.others(rule, 'disabled')
  if (WITHOUT_COUNTERPART.includes(target))
    return void stub.disabled(rule.at('target'), `conditions on ${target} have no counterpart`)
  if (target === 'request_number')
    return void stub.disabled(
      rule.at('target'),
      'the number of a request has a counterpart only as the one rule of a response',
    )
  if (modifier.includes('{{') || value.includes('{{'))
    return void stub.disabled(rule.at('value'), 'templates in rules have no counterpart')
  if (operator === 'valid_json_schema')
    return void stub.disabled(rule.at('operator'), 'valid_json_schema has no counterpart: schemas are in data buckets')
  const found = conditionOf({ target, modifier, operator, value }, rule, stub)
  return found === undefined ? undefined : isInverted ? { none: [found] } : found
}

interface Given {
  target: string
  modifier: string
  operator: string
  value: string
}

function conditionOf(given: Given, rule: Members, stub: Stub): JsonObject | undefined {
  const { target, modifier } = given
  if (target === 'body') return bodyCondition(given, rule, stub)
  const test = textTest(given, rule, stub)
  if (test === undefined) return undefined
  if (target === 'method') return { method: { ...test, ignore_case: true } }
  if (target === 'path') return { any: [{ url: test }, { path: test }] }
  const key = Object.hasOwn(BY_NAME, target) ? BY_NAME[target] : undefined
  if (key === undefined) return void stub.disabled(rule.at('target'), 'svc import does not know this target')
  if (!/^[^.[\]$]+$/.test(modifier)) return void stub.disabled(rule.at('modifier'), 'expected a plain name')
  return { [key]: { [modifier]: test } }
}

function textTest({ operator, value }: Given, rule: Members, stub: Stub): JsonObject | undefined {
  switch (operator) {
    case 'equals':
    case 'array_includes':
      return { equals: value }
    case 'regex':
    case 'regex_i': {
      const pattern = stub.pattern(rule.at('value'), toRe2Syntax(value), partPattern)
      return pattern === undefined
        ? undefined
        : { ...pattern, ...(operator === 'regex_i' ? { ignore_case: true } : {}) }
    }
    case 'null':
      return { any: [{ exists: false }, { equals: '' }] }
    default:
      return void stub.disabled(rule.at('operator'), `${operator.slice(0, 40)} has no counterpart for texts`)
  }
}

function bodyCondition(given: Given, rule: Members, stub: Stub): JsonObject | undefined {
  const { modifier, operator, value } = given
  if (modifier === '') {
    if (operator === 'empty_array') return { json_equals: { value: [] } }
    const test = textTest(given, rule, stub)
    return test === undefined ? undefined : { body: test }
  }
  const path = modifier.startsWith('$') ? modifier : `/${modifier.split('.').map(escapeToken).join('/')}`
  const json = (test: Json): JsonObject => ({ json: { [path]: test } })
  switch (operator) {
    case 'null':
      return json({ any: [{ exists: false }, { in: [null, ''] }] })
    case 'empty_array':
      return json({ equals: [] })
    case 'array_includes':
      return json({ any: spellings(value).map(one => ({ contains: one })) })
  }
  const test = textTest(given, rule, stub)
  if (test === undefined) return undefined
  const isName = /^[^.[\]$]+$/.test(modifier)
  // A value can be one of a list, and a field of a form.
  const ofJson =
    operator === 'equals'
      ? { any: [{ in: spellings(value) }, ...spellings(value).map(one => ({ contains: [one] }))] }
      : test
  return isName ? { any: [json(ofJson), { form: { [modifier]: test } }] } : json(ofJson)
}

/** Values whose text is this one. */
function spellings(text: string): Json[] {
  const number = Number(text)
  if (text.trim() !== '' && String(number) === text) return [text, number]
  return text === 'true' || text === 'false' ? [text, text === 'true'] : [text]
}
