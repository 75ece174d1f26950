/** Conditions of a protocol that a plugin registered, such as `rpc` or `grpc`. */
import { failedTests, readFieldTests } from '../toolkit/field-tests.ts'
import type { Json } from '../contract/json.ts'
import type { MatchFacts } from '../contract/testing.ts'
import { valuesOf, type ValueTest, type ValueTestOptions } from '../toolkit/value-test.ts'
import { joined, PART_STEPS, shownValue, type Difference, type Part } from './part.ts'
import type { RegisteredProtocol } from './protocols.ts'
import type { MatchSubject } from './subject.ts'

/** Without conditions it holds for any request of the protocol. */
export function readProtocolPart(
  protocol: RegisteredProtocol,
  value: Json,
  at: string,
  options: Pick<ValueTestOptions, 'checks' | 'isTrusted'>,
): Part {
  const tests = readFieldTests(protocol.fields, value, at, options)
  const failedIn = (facts: MatchFacts, { steps }: MatchSubject): typeof tests => {
    steps.take(PART_STEPS)
    return failedTests(tests, facts, steps)
  }
  return {
    count: Math.max(1, tests.length),
    tests: Math.max(
      1,
      tests.reduce((sum, { test }) => sum + test.count, 0),
    ),
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

function difference(protocol: RegisteredProtocol, name: string, test: ValueTest, value: Json | undefined): Difference {
  const values = valuesOf(value)
  return {
    at: `${protocol.name}.${name}`,
    expected: test.expected,
    got: shownValue(values.length > 1 ? joined(values) : values[0]),
  }
}
