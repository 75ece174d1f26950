/** Conditions on the body as text, as bytes and as a form. */
import { InputProblem } from '../toolkit/input-problem.ts'
import type { Json } from '../contract/json.ts'
import { readValueTest, type ValueTest } from '../toolkit/value-test.ts'
import { readNamed, type TestOptions } from './head-parts.ts'
import { readJsonEquals, readJsonPart, readLikePart, readSchemaPart } from './json-parts.ts'
import { PART_STEPS, simplePart, valuePart, type Part } from './part.ts'
import type { MatchSubject } from './subject.ts'

/** Bytes that are compared in one step. */
const COMPARED = 50

/** Reads the conditions under one key; null if the key is another one. Throws an `InputProblem`. */
export function readBodyParts(key: string, value: Json, at: string, options: TestOptions): Part[] | null {
  switch (key) {
    case 'body':
      return [bodyPart(value, readValueTest(value, at, { comparison: 'text', ...options }))]
    case 'body_base64':
      return [bytesPart(value, at)]
    case 'form':
      return readNamed(value, at, (name, test, place) =>
        valuePart(`form.${name}`, readValueTest(test, place, { comparison: 'text', ...options }), {
          needsBody: true,
          values: subject => subject.formValues(name),
        }),
      )
    case 'json':
      return readNamed(value, at, (path, test) => readJsonPart(path, test, at, options))
    case 'like':
      return [readLikePart(value, at)]
    case 'json_equals':
      return [readJsonEquals(value, at)]
    case 'json_schema':
      return [readSchemaPart(value, at, options)]
    default:
      return null
  }
}

/** A body that is not UTF-8 has no text: it exists, and nothing else is known of it. */
function bodyPart(value: Json, test: ValueTest): Part {
  return simplePart('body', test.expected, {
    needsBody: true,
    tests: test.count,
    holds: holdsForBody,
    got: subject => (subject.facts.body.length === 0 ? null : (subject.text() ?? '').slice(0, 200)),
  })

  function holdsForBody(subject: MatchSubject): boolean {
    const { facts, steps } = subject
    if (facts.body.length === 0) return test.holds([], steps)
    const text = subject.text()
    return text === null ? isExistence(value) && test.holds([''], steps) : test.holds([text], steps)
  }
}

function isExistence(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'exists'
}

function bytesPart(value: Json, at: string): Part {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 === 1)
    throw new InputProblem(at, 'expected base64')
  const wanted = Buffer.from(value, 'base64')
  return simplePart('body_base64', value, {
    needsBody: true,
    holds({ facts, steps }) {
      steps.take(PART_STEPS + Math.min(facts.body.length, wanted.length) / COMPARED)
      return facts.body.equals(wanted)
    },
    got: ({ facts }) => (facts.body.length === 0 ? null : facts.body.subarray(0, 150).toString('base64')),
  })
}
