/** Clients that disconnect before the reply is complete. */
import { nameOf, unusableOf, verdictOf, type Unusable } from './compared.ts'
import { question, scene } from './scenes.ts'
import type { Aspect, ExchangeEvidence, JudgeFacts, SceneEvidence } from './types.ts'

const LEAVE_AFTER_EVENTS = 4
const LEAVE_AFTER_MS = 1_000
/** The request to the upstream should end within this time. */
const MAX_MS = 5_000
/** Longer than the client stays and the upstream is watched. */
const DELAY_MS = 15_000
const TOKENS_PER_SECOND = 20
const LONG_TEXT = 'A long reply goes on and on. '.repeat(70)

export const CANCEL: Aspect = {
  id: 'TRN-CANCEL',
  title: 'Clients that disconnect',
  level: 'hazard',
  impact: 'medium',
  scenes: () => [
    scene(
      'left-stream',
      question('Say a lot.'),
      { text: LONG_TEXT, stream: { tokens_per_second: TOKENS_PER_SECOND } },
      { modes: ['stream'], leave: { events: LEAVE_AFTER_EVENTS } },
    ),
    {
      ...scene('left-request', question('Take your time.'), { text: 'At last.' }, { modes: ['plain'] }),
      leave: { afterMs: LEAVE_AFTER_MS },
      reply: { delay: DELAY_MS, reply: { text: 'At last.', template: false } },
    },
  ],
  judge(evidence, facts) {
    const found = evidence.flatMap(scene => scene.exchanges.flatMap(exchange => foundIn(exchange, scene, facts) ?? []))
    return verdictOf([], found)
  },
}

/** Null: the request to the upstream ends in time. */
function foundIn(exchange: ExchangeEvidence, scene: SceneEvidence, facts: JudgeFacts): Unusable | null {
  const { arrivals, answered } = exchange
  if (arrivals.length === 0) return unusableOf(exchange, scene, facts)
  const what = nameOf(scene.scene)
  if (answered?.native.isComplete === true)
    return { verdict: 'skip', detail: `${what}: the upstream had replied before the client left` }
  const late = arrivals.filter(({ endedMs }) => endedMs === null || endedMs > MAX_MS)
  if (late.length === 0) return null
  const { endedMs } = late[0]!
  const when = endedMs === null ? `does not end within ${MAX_MS} ms` : `ends after ${endedMs} ms`
  return { verdict: 'warn', detail: `${what}: the request to the upstream ${when}` }
}
