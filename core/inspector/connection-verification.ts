/** Verification of connections: whether the expected ones came, and if not, what came closest. */
import type { StepBudget } from '../contract/budgets.ts'
import type { ConnectionEntry } from '../contract/connections.ts'
import type { Json } from '../contract/json.ts'
import type { MatchFacts, MatchField } from '../contract/testing.ts'
import { failedTests, type FieldTest, readFieldTests } from '../toolkit/field-tests.ts'

/** What a condition can test. */
const FIELDS: Readonly<Record<string, MatchField>> = Object.fromEntries(
  ['listener', 'kind', 'end', 'client_ip', 'session', 'sni', 'data', 'bytes', 'fault'].map(name => [
    name,
    { description: `\`${name}\` of the entry.` } as MatchField,
  ]),
)

export type ConnectionTests = readonly FieldTest[]

/** Throws an `InputProblem`. */
export function readConnectionTests(value: Json, at: string, checks: StepBudget): ConnectionTests {
  return readFieldTests(FIELDS, value, at, { checks })
}

/** The conditions that a connection does not meet. Throws `TooExpensive`. */
export function failedConnectionTests(tests: ConnectionTests, entry: ConnectionEntry, steps: StepBudget): FieldTest[] {
  return failedTests(tests, factsOf(entry), steps)
}

export interface ClosestConnection {
  id: string
  listener: string
  matched: number
  of: number
  differences: { at: string; expected: Json; actual: Json }[]
}

const MAX_CLOSEST = 3

/** The connections that differ in the fewest conditions, newest first among equals. */
export function closestConnections(
  tests: ConnectionTests,
  entries: readonly ConnectionEntry[],
  steps: StepBudget,
): ClosestConnection[] {
  return entries
    .map(entry => ({ entry, failed: failedConnectionTests(tests, entry, steps) }))
    .toSorted((a, b) => a.failed.length - b.failed.length)
    .slice(0, MAX_CLOSEST)
    .map(({ entry, failed }) => {
      const facts = factsOf(entry)
      return {
        id: entry.id,
        listener: entry.listener,
        matched: tests.length - failed.length,
        of: tests.length,
        differences: failed.map(({ name, test }) => ({
          at: name,
          expected: test.expected,
          actual: (facts[name] as Json | undefined) ?? null,
        })),
      }
    })
}

function factsOf(entry: ConnectionEntry): MatchFacts {
  const { listener, kind, end, client_ip: clientIp, session, tls, received, fault } = entry
  const facts: Record<string, Json> = { listener, kind, end, client_ip: clientIp, bytes: received.bytes }
  if (session !== null) facts.session = session
  if (tls?.sni != null) facts.sni = tls.sni
  if (received.data !== null) facts.data = received.data
  if (fault !== null) facts.fault = fault
  return facts
}
