/** Fixture files of aimock (1.43) as rules. */
import { StepBudget, type Json, type JsonObject } from 'svc/plugin'
import { deepEqual, isRecord, type TranslatedFile, type TranslatedRule } from 'svc/toolkit'
import { readConditions, type Conditions } from './conditions.ts'
import { readStep } from './steps.ts'

/** Fixtures with the same conditions: one, or a sequence. */
interface Group {
  at: string
  match: JsonObject
  turn: number | null
  /** A step, or the steps of a sequence by index. */
  then: JsonObject | Map<number, JsonObject>
  chaos: TranslatedRule[]
}

const CHAOS: Readonly<Record<string, JsonObject>> = {
  dropRate: { fail: 500, message: 'Chaos: request dropped' },
  malformedRate: { respond: { body: '{malformed json: <<<chaos>>>', content_type: 'application/json' } },
  disconnectRate: { abort: 'reset' },
  rateLimitRate: { fail: 429 },
}

/** Translates a document with a list `fixtures`; null for others. */
export function translateFixtures(document: JsonObject): TranslatedFile | null {
  if (!Array.isArray(document.fixtures)) return null
  const problems: { at: string; message: string }[] = []
  const groups: Group[] = []
  for (const [index, entry] of document.fixtures.entries()) {
    const at = `fixtures[${index}]`
    const note = (place: string, message: string): void => void problems.push({ at: `${at}.${place}`, message })
    if (!isRecord(entry) || !isRecord(entry.match)) note('match', 'expected an object; the fixture is left out')
    else addFixture(entry as JsonObject, at, groups, note)
  }
  return { rules: inOrder(groups).flatMap(group => rulesOf(group, problems)), problems }
}

function addFixture(entry: JsonObject, at: string, groups: Group[], note: (at: string, message: string) => void): void {
  const conditions = readConditions(entry.match as JsonObject, note)
  const read = conditions === null ? null : readStep(entry, note)
  if (conditions === null || read === null) return
  const { turn, sequence } = conditions
  const match = withOperation(conditions, read.op)
  if (sequence === null) {
    groups.push({ at, match, turn, then: read.step, chaos: chaosOf(entry, match, at, note) })
    return
  }
  const known = groups.find(
    group => group.then instanceof Map && group.turn === turn && deepEqual(group.match, match, StepBudget.unlimited()),
  )
  if (known === undefined) {
    const chaos = chaosOf(entry, match, at, note)
    groups.push({ at, match, turn, then: new Map([[sequence, read.step]]), chaos })
  } else {
    const steps = known.then as Map<number, JsonObject>
    if (steps.has(sequence)) note('match.sequenceIndex', 'an earlier fixture has this index; this one is left out')
    else steps.set(sequence, read.step)
  }
}

function withOperation({ match }: Conditions, op: Json | null): JsonObject {
  const llm = match.llm as JsonObject
  return op === null || llm.op !== undefined ? match : { ...match, llm: { ...llm, op } }
}

function chaosOf(
  { chaos }: JsonObject,
  match: JsonObject,
  at: string,
  note: (at: string, message: string) => void,
): TranslatedRule[] {
  if (!isRecord(chaos)) return []
  const llm = match.llm as JsonObject
  const own = llm.op === undefined ? { ...match, llm: { ...llm, op: 'chat' } } : match
  return Object.entries(chaos as JsonObject).flatMap(([name, rate]) => {
    const step = CHAOS[name]
    if (step === undefined) note(`chaos.${name.slice(0, 100)}`, 'this fault has no counterpart and is left out')
    if (step === undefined || typeof rate !== 'number' || rate <= 0) return []
    return [{ at, rule: { match: own, ...(rate < 1 ? { sample: rate } : {}), then: step } }]
  })
}

/**
 * The order in which the first that matches is the one that aimock selects: the highest turn at or below that of the
 * request, otherwise a fixture without one, otherwise the lowest turn.
 */
function inOrder(groups: readonly Group[]): Group[] {
  const turns = groups.filter(({ turn }) => turn !== null)
  const reached = turns.toSorted((a, b) => b.turn! - a.turn!)
  const early = turns
    .filter(
      ({ match, turn }) =>
        !turns.some(other => other.turn! < turn! && deepEqual(other.match, match, StepBudget.unlimited())),
    )
    .filter(({ turn }) => turn! > 0)
    .toSorted((a, b) => a.turn! - b.turn!)
    .map(group => ({ ...group, turn: null }))
  return [...reached, ...groups.filter(({ turn }) => turn === null), ...early]
}

function rulesOf(
  { at, match, turn, then, chaos }: Group,
  problems: { at: string; message: string }[],
): TranslatedRule[] {
  const llm = match.llm as JsonObject
  const own = turn === null || turn <= 0 ? match : { ...match, llm: { ...llm, turn: { gte: turn } } }
  if (!(then instanceof Map)) return [...chaos, { at, rule: { match: own, then } }]
  const steps: JsonObject[] = []
  for (let step = then.get(0); step !== undefined; step = then.get(steps.length)) steps.push(step)
  if (steps.length < then.size)
    problems.push({ at, message: 'the indexes of the sequence have a gap; what follows it is left out' })
  return steps.length === 0 ? [] : [...chaos, { at, rule: { match: own, then: steps } }]
}
