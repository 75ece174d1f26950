/** The steps `decide` and `mutate` of rules: each service reads its own form of them. */
import type { Json } from 'svc/plugin'
import { InputProblem, isRecord, type RuleStepKind } from 'svc/toolkit'
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
    read: (value: Json, at: string) => readStep(value, at, { name, kinds: kinds(), of }),
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

/** A value must be one of some service: the problem that the one with the most of its keys has with it is thrown. */
function readStep(
  value: Json,
  at: string,
  {
    name: step,
    kinds,
    of,
  }: { name: string; kinds: readonly ServiceKind[]; of: (kind: ServiceKind) => ServiceStep | undefined },
): StepValue {
  const read = new Map<string, unknown>()
  let closest: { error: unknown; known: number } | null = null
  for (const kind of kinds) {
    const form = of(kind)
    if (form === undefined) continue
    try {
      read.set(kind.name, form.read(value, at))
    } catch (error) {
      const known = isRecord(value) ? form.keys.filter(key => Object.hasOwn(value, key)).length : 0
      if (closest === null || known > closest.known) closest = { error, known }
    }
  }
  if (read.size > 0) return read
  throw closest?.error ?? new InputProblem(at, `no enabled plugin serves calls that can be changed by ${step}`)
}
