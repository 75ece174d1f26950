/** Conditions of a protocol that a plugin registered, such as `rpc` or `grpc`. */
import type { Json } from '../contract/json.ts'
import type { MatchFacts, MatchField } from '../contract/testing.ts'
import { holdsForAny, joined, PART_STEPS, shownValue } from './part.ts'
import type { Difference, Part } from './part.ts'
import { asObject, below, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'
import type { RegisteredProtocol } from './protocols.ts'
import { presenceTest, readValueTest, readWildcardTest } from './value-test.ts'
import type { ValueTest, ValueTestOptions } from './value-test.ts'
import type { MatchSubject } from './subject.ts'

/** Without conditions it holds for any request of the protocol. */
export function readProtocolPart(
  protocol: RegisteredProtocol,
  value: Json,
  at: string,
  options: Pick<ValueTestOptions, 'checks'>,
): Part {
  const given = asObject(value, at)
  rejectUnknownKeys(given, Object.keys(protocol.fields), at)
  const tests = Object.entries(given).map(([name, test]) => ({
    name,
    test: readFieldTest(protocol.fields[name]!, test, below(at, name), options),
  }))
  const failedIn = (facts: MatchFacts, { steps }: MatchSubject): typeof tests => {
    steps.take(PART_STEPS)
    return tests.filter(({ name, test }) => !holdsForAny(test, valuesOf(facts[name]), steps))
  }
  return {
    count: Math.max(1, tests.length),
    needsBody: !protocol.headOnly,
    holds: subject => subject.protocol(protocol)?.some(facts => failedIn(facts, subject).length === 0) ?? false,
    differences(subject) {
      const items = subject.protocol(protocol)
      if (items === null || items.length === 0)
        return tests.length === 0
          ? [{ at: protocol.name, expected: {}, got: null }]
          : tests.map(({ name, test }) => difference(protocol, name, test, undefined))
      let closest: { facts: MatchFacts; failed: typeof tests } | null = null
      for (const facts of items) {
        const failed = failedIn(facts, subject)
        if (closest === null || failed.length < closest.failed.length) closest = { facts, failed }
      }
      const { facts, failed } = closest!
      return failed.map(({ name, test }) => difference(protocol, name, test, facts[name]))
    },
  }
}

function readFieldTest(
  { kind = 'test' }: MatchField,
  value: Json,
  at: string,
  options: Pick<ValueTestOptions, 'checks'>,
): ValueTest {
  if (kind === 'boolean' || (kind === 'presence' && typeof value === 'boolean')) {
    if (typeof value !== 'boolean') throw new InputProblem(at, 'expected true or false')
    return kind === 'presence' ? presenceTest(value) : readValueTest(value, at, { comparison: 'json', ...options })
  }
  if (kind === 'wildcard') return readWildcardTest(value, at, options)
  if (typeof kind === 'string') return readValueTest(value, at, { comparison: 'json', ...options })
  if (typeof value !== 'string' || !kind.includes(value))
    throw new InputProblem(at, `expected one of ${kind.join(', ')}`)
  return readValueTest(value, at, { comparison: 'json', ...options })
}

function valuesOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function difference(protocol: RegisteredProtocol, name: string, test: ValueTest, value: Json | undefined): Difference {
  const values = valuesOf(value)
  return {
    at: `${protocol.name}.${name}`,
    expected: test.expected,
    got: shownValue(values.length > 1 ? joined(values) : values[0]),
  }
}
