/** The steps `decide` and `mutate` of rules: each service reads its own form of them. */
import type { Json, JsonObject } from 'svc/plugin'
import { below, InputProblem, isRecord, type RuleStepKind } from 'svc/toolkit'
import { DECIDE, MUTATE, SERVICE } from './match.ts'
import type { ServiceKind, ServiceStep } from './types.ts'

/** What the services that know a value have read, by their name. */
export type StepValue = ReadonlyMap<string, unknown>

export function serviceSteps(kinds: () => readonly ServiceKind[]): RuleStepKind[] {
  const step = (name: string, description: string, of: (kind: ServiceKind) => ServiceStep | undefined) => ({
    name,
    description,
    answers: true,
    protocol: SERVICE,
    read: (value: Json, at: string, match: Json | undefined) =>
      readStep(value, at, { name, kinds: kinds(), of, match }),
  })
  return [
    step(
      DECIDE,
      'What a service decides that a gateway calls, such as `{"allow": false, "status": 403}`',
      kind => kind.decide,
    ),
    step(
      MUTATE,
      'What a service changes in the request or the response, such as `{"params": {"name": "echo"}}`',
      kind => kind.mutate,
    ),
  ]
}

interface Step {
  name: string
  kinds: readonly ServiceKind[]
  of(kind: ServiceKind): ServiceStep | undefined
  /** The conditions of the rule. */
  match: Json | undefined
}

/**
 * A value must be one of the service that the rule names, or of some service: the problem that the one with the most of its keys
 * has with it is thrown.
 */
function readStep(value: Json, at: string, { name: step, kinds, of, match }: Step): StepValue {
  const named = namedIn(match, kinds)
  if (named !== undefined && of(named) === undefined)
    throw new InputProblem(at, `a rule about the service ${named.name} can't have ${step}`)
  const read = new Map<string, unknown>()
  let closest: { error: unknown; known: number } | null = null
  for (const kind of named === undefined ? kinds : [named]) {
    const form = of(kind)
    if (form === undefined) continue
    try {
      read.set(kind.name, form.read(value, at))
    } catch (error) {
      const given = isRecord(value) ? form.keys.filter(key => Object.hasOwn(value, key)) : []
      // A mistake in a given member says more than a missing one.
      const isOfGiven = given.some(key => (error as InputProblem).at.startsWith(below(at, key)))
      const known = given.length + (isOfGiven ? 0.5 : 0)
      if (closest === null || known > closest.known) closest = { error, known }
    }
  }
  if (read.size > 0) return read
  throw closest?.error ?? new InputProblem(at, `no enabled plugin serves calls that can be changed by ${step}`)
}

/** The service that the conditions name; undefined if they leave it open, or name an unknown one. */
function namedIn(match: Json | undefined, kinds: readonly ServiceKind[]): ServiceKind | undefined {
  const conditions = isRecord(match) ? (match as JsonObject)[SERVICE] : undefined
  const name = isRecord(conditions) ? (conditions as JsonObject).name : undefined
  return kinds.find(kind => kind.name === name)
}
