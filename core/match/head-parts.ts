/** Conditions on what a request has without its body: headers, parameters, its session, its client. */
import { isToken } from '../fields/token.ts'
import { asObject, below, InputProblem } from '../toolkit/input-problem.ts'
import type { Json } from '../contract/json.ts'
import { readValueTest, type ValueTest, type ValueTestOptions } from '../toolkit/value-test.ts'
import { PART_STEPS, simplePart, valuePart, type Part } from './part.ts'

/** Steps of each name and value of the header lines, and the characters of a URL for one step. */
const HEADER = 0.5
const QUERY = 10

export type TestOptions = Pick<ValueTestOptions, 'checks' | 'isTrusted'>

/** Reads the conditions under one key; null if the key is another one. Throws an `InputProblem`. */
export function readHeadParts(key: string, value: Json, at: string, options: TestOptions): Part[] | null {
  const readText = (test: Json, place: string, ignoresCase = false): ValueTest =>
    readValueTest(test, place, { comparison: 'text', ignoresCase, ...options })
  switch (key) {
    case 'url':
      return [valuePart(key, readText(value, at), { values: ({ url }) => [url] })]
    case 'scheme':
      return [schemePart(value, at)]
    case 'host':
      return [valuePart(key, readText(value, at, true), { values: ({ host }) => some(host) })]
    case 'header':
      return readNamed(value, at, (name, test, place) => {
        if (!isToken(name)) throw new InputProblem(place, 'expected the name of a header')
        const lower = name.toLowerCase()
        return valuePart(`header.${lower}`, readText(test, place), {
          values(subject) {
            subject.steps.take(subject.facts.rawHeaders.length * HEADER)
            return subject.headerValues(lower)
          },
        })
      })
    case 'query':
      return readNamed(value, at, (name, test, place) =>
        valuePart(`query.${name}`, readText(test, place), {
          values(subject) {
            subject.steps.take(subject.url.length / QUERY)
            return subject.queryValues(name)
          },
        }),
      )
    case 'cookie':
      return readNamed(value, at, (name, test, place) =>
        valuePart(`cookie.${name}`, readText(test, place), { values: subject => some(subject.cookie(name)) }),
      )
    case 'session':
      return [valuePart(key, readText(value, at), { values: ({ facts }) => some(facts.session ?? undefined) })]
    case 'client_ip':
      return [valuePart(key, readText(value, at), { values: ({ facts }) => [facts.clientIp] })]
    case 'status':
      return [valuePart(key, readText(value, at), { values: ({ facts }) => some(facts.status) })]
    case 'rule':
      return [valuePart(key, readText(value, at), { values: ({ facts }) => some(facts.rule ?? undefined) })]
    case 'since':
      return [sincePart(value, at)]
    default:
      return null
  }
}

/** A value that may be absent as the values of a condition. */
export function some(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : [value]
}

/** Reads an object of names to tests. Throws an `InputProblem`. */
export function readNamed(value: Json, at: string, read: (name: string, test: Json, at: string) => Part): Part[] {
  const entries = Object.entries(asObject(value, at, 'expected an object of names and tests'))
  if (entries.length === 0) throw new InputProblem(at, 'expected at least one name')
  return entries.map(([name, test]) => read(name, test, below(at, name)))
}

function schemePart(value: Json, at: string): Part {
  if (value !== 'http' && value !== 'https') throw new InputProblem(at, 'expected http or https')
  return simplePart('scheme', value, {
    holds({ facts, steps }) {
      steps.take(PART_STEPS)
      return facts.scheme === value
    },
    got: ({ facts }) => facts.scheme,
  })
}

function sincePart(value: Json, at: string): Part {
  if (typeof value !== 'string' || value === '' || value.length > 64)
    throw new InputProblem(at, 'expected the id of an entry, or a time such as 2026-03-14T12:00:00Z')
  return simplePart('since', value, {
    holds({ facts, steps }) {
      steps.take(PART_STEPS)
      return facts.isSince?.(value) ?? false
    },
  })
}
