/** Conditions of a protocol that a plugin registered, such as `rpc` or `grpc`. */
import type { Json } from '../contract/json.ts'
import type { MatchFacts, MatchField } from '../contract/testing.ts'
import { shownValue } from './part.ts'
import type { Difference, Part } from './part.ts'
import { asObject, below, InputProblem, rejectUnknownKeys } from '../contract/input-problem.ts'
import type { RegisteredProtocol } from './protocols.ts'
import { presenceTest, readValueTest, readWildcardTest } from './value-test.ts'
import type { ValueTest } from './value-test.ts'

/** Without conditions it holds for any request of the protocol. */
export function readProtocolPart(protocol: RegisteredProtocol, value: Json, at: string): Part {
  const given = asObject(value, at)
  rejectUnknownKeys(given, Object.keys(protocol.fields), at)
  const tests = Object.entries(given).map(([name, test]) => ({
    name,
    test: readFieldTest(protocol.fields[name]!, test, below(at, name)),
  }))
  const failedIn = (facts: MatchFacts): typeof tests => tests.filter(({ name, test }) => !holds(test, facts[name]))
  return {
    count: Math.max(1, tests.length),
    needsBody: !protocol.headOnly,
    holds: subject => subject.protocol(protocol)?.some(facts => failedIn(facts).length === 0) ?? false,
    differences(subject) {
      const items = subject.protocol(protocol)
      if (items === null || items.length === 0)
        return tests.length === 0
          ? [{ at: protocol.name, expected: {}, got: null }]
          : tests.map(({ name, test }) => difference(protocol, name, test, undefined))
      const [closest] = items
        .map(facts => ({ facts, failed: failedIn(facts) }))
        .toSorted((a, b) => a.failed.length - b.failed.length)
      return closest!.failed.map(({ name, test }) => difference(protocol, name, test, closest!.facts[name]))
    },
  }
}

function readFieldTest({ kind = 'test' }: MatchField, value: Json, at: string): ValueTest {
  if (kind === 'boolean' || (kind === 'presence' && typeof value === 'boolean')) {
    if (typeof value !== 'boolean') throw new InputProblem(at, 'expected true or false')
    return kind === 'presence' ? presenceTest(value) : readValueTest(value, at, { comparison: 'json' })
  }
  if (kind === 'wildcard') return readWildcardTest(value, at)
  if (typeof kind === 'string') return readValueTest(value, at, { comparison: 'json' })
  if (typeof value !== 'string' || !kind.includes(value))
    throw new InputProblem(at, `expected one of ${kind.join(', ')}`)
  return readValueTest(value, at, { comparison: 'json' })
}

function holds(test: ValueTest, value: Json | undefined): boolean {
  const values = valuesOf(value)
  return values.length === 0 ? test.holds(undefined) : values.some(one => test.holds(one))
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
    got: shownValue(values.length > 1 ? values.map(String).join(', ') : values[0]),
  }
}
