/** What arrives is what the vendor takes. */
import { CACHE } from './cache-marks.ts'
import { nameOf, unusableOf, type Unusable } from './compared.ts'
import { MEDIA } from './media.ts'
import { PARAMS } from './params.ts'
import { RESULTS } from './results.ts'
import { SCHEMA } from './schema.ts'
import { SYSTEM } from './system.ts'
import { TEXT } from './text.ts'
import { THINK } from './think.ts'
import { TOOLS_OFFERED } from './tools.ts'
import type { ArrivalViolation, Aspect, Scene, SceneEvidence } from './types.ts'

/** The checks whose requests are judged again, by the rules of the vendor. */
const REQUESTS: readonly Aspect[] = [TEXT, SYSTEM, PARAMS, MEDIA, TOOLS_OFFERED, RESULTS, THINK, CACHE, SCHEMA]
/** Violations that a result shows. */
const MAX_SHOWN = 10

interface Violated extends ArrivalViolation {
  scene: string
}

/** Rules of models are the choice of the client, and assumed ones may not exist. */
const isWrong = ({ confidence, phase }: ArrivalViolation): boolean => confidence !== 'assumed' && phase !== 'model'

export const VALID: Aspect = {
  id: 'TRN-VALID',
  title: 'What arrives is what the vendor takes',
  level: 'other-spec',
  impact: 'medium',
  comparesDirect: true,
  scenes: (pair, options) =>
    REQUESTS.flatMap(aspect =>
      aspect
        .scenes(pair, options)
        .filter(({ modes }) => modes.includes('plain'))
        .map(
          (scene): Scene => ({
            ...scene,
            id: `${aspect.id.slice('TRN-'.length).toLowerCase()}-${scene.id}`,
            modes: ['plain'],
          }),
        ),
    ),
  judge(evidence, facts) {
    // Where the client itself is at fault, the gateway is not to blame for what arrives.
    const own = new Set(
      facts.direct
        .flatMap(violationsOf)
        .filter(isWrong)
        .map(({ scene }) => scene),
    )
    const violated = evidence.flatMap(violationsOf).filter(({ scene }) => !own.has(scene))
    const wrong = violated.filter(isWrong)
    if (wrong.length > 0) return { verdict: 'fail', detail: described(wrong), differences: differencesOf(wrong) }
    if (violated.length > 0)
      return { verdict: 'note', detail: described(violated), differences: differencesOf(violated) }
    // What other checks find of these requests is theirs.
    const hasArrived = evidence.some(({ exchanges }) => exchanges.some(({ arrivals }) => arrivals.length > 0))
    const [unusable] = evidence.flatMap((scene): Unusable[] =>
      scene.exchanges.flatMap(exchange => unusableOf(exchange, scene, facts) ?? []),
    )
    return hasArrived || unusable === undefined
      ? { verdict: 'pass', detail: '', differences: [] }
      : { verdict: 'skip', detail: unusable.detail, differences: [] }
  },
}

/** Each rule once in a scene. */
function violationsOf({ scene, exchanges }: SceneEvidence): Violated[] {
  const all = exchanges.flatMap(({ arrivals }) => arrivals.at(-1)?.violations ?? [])
  return all
    .filter(({ rule }, index) => all.findIndex(one => one.rule === rule) === index)
    .map(one => ({ ...one, scene: scene.id }))
}

function described(violated: readonly Violated[]): string {
  const [{ rule, message, at, source, scene }] = violated as [Violated]
  const others = new Set(violated.map(one => one.rule)).size - 1
  const where = at === '' ? '' : ` at ${at}`
  const from = source === undefined ? '' : ` (${source})`
  const text = `${nameOf({ id: scene })}: ${rule}${where}: ${message}${from}`
  return others === 0 ? text : `${text}, and ${others} other rules`
}

function differencesOf(violated: readonly Violated[]): ReturnType<Aspect['judge']>['differences'] {
  return violated.slice(0, MAX_SHOWN).map(({ scene, at, rule, message, confidence, phase, source }) => ({
    side: 'request',
    scene,
    mode: 'plain',
    path: at === '' ? '/' : at,
    kind: 'changed',
    got: { rule, message, confidence, phase, ...(source === undefined ? {} : { source }) },
    why: message,
  }))
}
