/** Judges scenes by what is not the same on both sides of the gateway. */
import { compareReplies, compareRequests, scopeOf } from '../../wires/difference.ts'
import type { Difference } from '../../wires/types.ts'
import type { Aspect, AspectVerdict, ExchangeEvidence, JudgeFacts, Scene, SceneEvidence, SentRequest } from './types.ts'

/** Differences by their path, or by more than that. */
type Own = RegExp | ((difference: Difference) => boolean)

/** Which differences an aspect judges. Others belong to other checks. */
export interface Compared extends Omit<Aspect, 'judge' | 'level'> {
  /** Default: `integrity`. */
  level?: Aspect['level']
  request?: Own
  reply?: Own
  /** Differences that are only a warning. */
  warns?(difference: Difference): boolean
  /** Scenes whose failures are only warnings. */
  isTolerant?(scene: Scene): boolean
  /** Id of a scene without what the aspect is about: what differs there too belongs to other checks. */
  baseline?: string
  /** Why a request that the client wrote says nothing of the aspect; null: it does. */
  skips?(sent: SentRequest): string | null
  /** A refusal of what is too large is only noted. */
  allowsTooLarge?: boolean
  /** What a comparison cannot see. */
  more?(exchange: ExchangeEvidence, scene: SceneEvidence, facts: JudgeFacts): Difference[]
}

type Word = AspectVerdict['verdict']

/** What became of one exchange, if there is nothing to compare. */
export interface Unusable {
  verdict: Exclude<Word, 'pass'>
  detail: string
}

/** The worst first. */
const WORST: readonly Unusable['verdict'][] = ['fail', 'warn', 'skip', 'note']

export function comparedAspect({
  request,
  reply,
  more,
  warns,
  isTolerant = () => false,
  baseline,
  skips,
  allowsTooLarge = false,
  ...aspect
}: Compared): Aspect {
  return {
    level: 'integrity',
    ...aspect,
    judge(evidence, facts) {
      const differences: Difference[] = []
      const unusable: Unusable[] = []
      const tolerated = new Set(evidence.flatMap(({ scene }) => (isTolerant(scene) ? [scene.id] : [])))
      const isWarning = (one: Difference): boolean =>
        warns?.(one) === true || (isWrong(one) && tolerated.has(one.scene))
      for (const scene of evidence)
        for (const exchange of scene.exchanges) {
          const reason = skips?.(exchange.sent) ?? null
          const found =
            reason === null ? unusableOf(exchange, scene, facts) : ({ verdict: 'skip', detail: reason } as const)
          if (found !== null) {
            const isTooLarge = allowsTooLarge && exchange.received?.native.status === 413
            const isWarned = found.verdict === 'fail' && tolerated.has(scene.scene.id)
            unusable.push(isTooLarge ? tooLarge(exchange, scene) : isWarned ? { ...found, verdict: 'warn' } : found)
            break
          }
          differences.push(...compared(exchange, scene, facts, { request, reply }))
          differences.push(...(more?.(exchange, scene, facts) ?? []))
        }
      if (baseline === undefined) return verdictOf(differences, unusable, isWarning)
      const inBaseline = new Set(differences.filter(({ scene }) => scene === baseline).map(keyOf))
      return verdictOf(
        differences.filter(one => one.scene !== baseline && !inBaseline.has(keyOf(one))),
        unusable,
        isWarning,
      )
    },
  }
}

const keyOf = ({ side, path, kind }: Difference): string => `${side} ${path} ${kind}`

function tooLarge({ sent }: ExchangeEvidence, { scene, mode }: SceneEvidence): Unusable {
  const bytes = sent.native.body.length
  return { verdict: 'note', detail: `refuses ${nameOf(scene)} (${mode}) of ${bytes} bytes: 413` }
}

export const nameOf = ({ id }: Pick<Scene, 'id'>): string => id.replaceAll('-', ' ')

function compared(
  { sent, arrivals, answered, received }: ExchangeEvidence,
  { scene, mode }: SceneEvidence,
  { pair }: JudgeFacts,
  { request, reply }: Pick<Compared, 'request' | 'reply'>,
): Difference[] {
  const arrived = arrivals.at(-1)?.request ?? null
  const scope = { scene: scene.id, mode }
  const ofRequest =
    request === undefined || sent.request === null || arrived === null
      ? []
      : compareRequests(sent.request, arrived, scopeOf(pair, { side: 'request', ...scope }))
  const ofReply =
    reply === undefined || !answered?.reply || !received?.reply
      ? []
      : compareReplies(answered.reply, received.reply, scopeOf(pair, { side: 'reply', ...scope }))
  return [...ofRequest.filter(one => isOwn(one, request!)), ...ofReply.filter(one => isOwn(one, reply!))]
}

function isOwn(difference: Difference, own: Own): boolean {
  return own instanceof RegExp ? own.test(difference.path) : own(difference)
}

/** Null: both sides can be compared. */
export function unusableOf(
  { arrivals, answered, received }: ExchangeEvidence,
  { scene, mode }: Pick<SceneEvidence, 'scene' | 'mode'>,
  { pair }: Pick<JudgeFacts, 'pair'>,
): Unusable | null {
  const what = `${nameOf(scene)} (${mode})`
  const status = received?.native.status ?? 0
  const isError = received !== null && (received.error !== null || received.reply === null)
  if (arrivals.length === 0) {
    if (status < 400)
      return { verdict: 'skip', detail: received === null ? 'not forwarded' : `answered by the gateway: ${status}` }
    if (status === 429) return { verdict: 'skip', detail: 'answered by the gateway: 429' }
    const detail = `refuses ${what}: ${status}`
    if (status >= 500 && status !== 501) return { verdict: 'fail', detail }
    // What the upstream has no word for is refused honestly.
    const isHonest = (scene.needs ?? []).some(limit => pair.upstream.limits.request.has(limit))
    return { verdict: isHonest ? 'note' : 'warn', detail }
  }
  if (answered === null || answered.error !== null)
    return {
      verdict: 'fail',
      detail: `the upstream refuses what arrives of ${what}: ${answered?.native.status ?? 'no answer'}`,
    }
  if (received === null) return { verdict: 'fail', detail: `no answer to ${what}` }
  return isError ? { verdict: 'fail', detail: `the reply to ${what} came back as an error: ${status}` } : null
}

export function verdictOf(
  differences: Difference[],
  unusable: readonly Unusable[],
  warns: Compared['warns'] = () => false,
): AspectVerdict {
  const wrong = differences.filter(one => isWrong(one) && !warns(one))
  const warned = differences.filter(warns)
  const [worst] = WORST.flatMap(verdict => unusable.filter(one => one.verdict === verdict))
  if (wrong.length > 0) return { verdict: 'fail', detail: described(wrong), differences }
  if (worst?.verdict === 'fail') return { ...worst, differences }
  if (warned.length > 0) return { verdict: 'warn', detail: described(warned), differences }
  if (worst !== undefined) return { ...worst, differences }
  if (differences.length > 0) return { verdict: 'note', detail: described(differences), differences }
  return { verdict: 'pass', detail: '', differences }
}

/** A part that was added to a reply is a difference; additions to requests are defaults. */
function isWrong({ kind, side, path }: Difference): boolean {
  return kind === 'lost' || kind === 'changed' || (kind === 'added' && side === 'reply' && path.startsWith('/parts'))
}

function described(differences: readonly Difference[]): string {
  const [{ side, path, kind, scene, mode }] = differences as [Difference]
  const others = differences.length - 1
  const first = `${side} ${path} is ${kind} (${scene}, ${mode})`
  return others === 0 ? first : `${first}, and ${others} more`
}
