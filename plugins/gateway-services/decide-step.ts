/** The step `decide` of rules: each service reads its own form of it. */
import type { Json } from 'svc/plugin'
import { InputProblem, isRecord, type RuleStepKind } from 'svc/toolkit'
import { DECIDE, SERVICE } from './match.ts'
import type { ServiceKind } from './types.ts'

/** What the services that know a value have read, by their name. */
export type DecideValue = ReadonlyMap<string, unknown>

/** A value must be one of some service: the problem that the one with the most of its keys has with it is thrown. */
export function decideStep(kinds: () => readonly ServiceKind[]): RuleStepKind {
  return {
    name: DECIDE,
    description: 'What a service decides that a gateway calls, such as `{"allow": false, "status": 403}`',
    answers: true,
    protocol: SERVICE,
    read: (value, at) => readDecide(value, at, kinds()),
  }
}

function readDecide(value: Json, at: string, kinds: readonly ServiceKind[]): DecideValue {
  const read = new Map<string, unknown>()
  let closest: { error: unknown; known: number } | null = null
  for (const { name, decide } of kinds) {
    if (decide === undefined) continue
    try {
      read.set(name, decide.read(value, at))
    } catch (error) {
      const known = isRecord(value) ? decide.keys.filter(key => Object.hasOwn(value, key)).length : 0
      if (closest === null || known > closest.known) closest = { error, known }
    }
  }
  if (read.size > 0) return read
  throw closest?.error ?? new InputProblem(at, 'no enabled plugin serves calls that can be decided')
}
