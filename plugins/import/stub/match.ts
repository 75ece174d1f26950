/** Joins conditions: both matches must hold. */
import { type Json, type JsonObject, StepBudget } from 'svc/plugin'
import { deepEqual, isRecord } from 'svc/toolkit'
import { named } from '../source/members.ts'

/** Keys with tests by name. */
const BY_NAME = new Set(['header', 'query', 'cookie', 'form', 'json', 'path_params', 'scenario'])
/** Keys with one test. */
const TESTS = new Set(['body', 'url', 'host', 'client_ip'])

/** Adds the conditions of `more` to `match`. */
export function addConditions(match: JsonObject, more: JsonObject): void {
  const rest: JsonObject = {}
  for (const [key, value] of Object.entries(more)) {
    const before = match[key]
    if (before === undefined) match[key] = value
    else if (BY_NAME.has(key) && isRecord(before) && isRecord(value)) {
      const tests = named(before as JsonObject)
      for (const [name, test] of Object.entries(value as JsonObject))
        tests[name] = tests[name] === undefined ? test : bothTests(tests[name], test)
      match[key] = tests
    } else if (TESTS.has(key)) match[key] = bothTests(before, value)
    else if (key === 'none' && Array.isArray(before) && Array.isArray(value)) match[key] = [...before, ...value]
    else if (!deepEqual(before, value, StepBudget.unlimited())) rest[key] = value
  }
  if (Object.keys(rest).length === 0) return
  // A second condition of a kind that a match has once: "none of those of which none holds".
  match.none = [...((match.none as Json[] | undefined) ?? []), { none: [rest] }]
}

function bothTests(one: Json, other: Json): Json {
  if (isAll(one)) return { all: [...one.all, other] }
  return { all: [one, other] }
}

function isAll(test: Json): test is { all: Json[] } {
  return isRecord(test) && Array.isArray(test.all) && Object.keys(test).length === 1
}
