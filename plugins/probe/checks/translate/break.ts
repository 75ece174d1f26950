/** Streams that fail after their beginning. */
import { textOfReply } from '../../pairs/model-calls.ts'
import { nameOf, unusableOf, verdictOf, type Unusable } from './compared.ts'
import { question, scene, TOOLS } from './scenes.ts'
import type { Aspect, ExchangeEvidence, JudgeFacts, SceneEvidence } from './types.ts'

const WORDS = 'The first words of a long reply that ends before it is complete, since its model fails.'
/** Of the text and of the arguments, which no reply has twice. */
const BEGINNING = WORDS.slice(0, 12)
/** Deltas before the failure. */
const AFTER = 5
const DELTA_CHARS = 6

const TEXT = { text: WORDS }
const ARGUMENTS = { tool_calls: [{ name: 'weather', args: { city: WORDS } }] }

/** What breaks, and how. */
const SCENES = {
  'error-event': { reply: TEXT, how: 'stream_error' },
  closed: { reply: TEXT, how: 'disconnect' },
  'closed-in-arguments': { reply: ARGUMENTS, how: 'disconnect' },
} as const

export const BREAK: Aspect = {
  id: 'TRN-BREAK',
  title: 'Errors in mid-stream',
  level: 'integrity',
  impact: 'high',
  scenes: () =>
    Object.entries(SCENES).map(([id, { reply, how }]) =>
      scene(
        id,
        question('Which weather, and what time?', { tools: [...TOOLS] }),
        { ...reply, stream: { delta_chars: DELTA_CHARS, break: `${how}@${AFTER}` } },
        { modes: ['stream'], breaks: true },
      ),
    ),
  judge(evidence, facts) {
    const found = evidence.flatMap(scene => scene.exchanges.flatMap(exchange => foundIn(exchange, scene, facts) ?? []))
    return verdictOf([], found)
  },
}

/** Null: the client can tell that the reply is not complete. */
function foundIn(exchange: ExchangeEvidence, scene: SceneEvidence, facts: JudgeFacts): Unusable | null {
  const { received, arrivals } = exchange
  if (arrivals.length === 0) return unusableOf(exchange, scene, facts)
  const stream = received?.stream ?? null
  if (received === null || stream === null) return null
  const what = nameOf(scene.scene)
  const { reply, error, isEnded } = stream
  if (textOfReply(reply).split(BEGINNING).length > 2)
    return { verdict: 'fail', detail: `${what}: the reply begins a second time` }
  if (error?.isRaised === true || !received.native.isComplete) return null
  return isEnded && reply.finish !== null
    ? { verdict: 'fail', detail: `${what}: the stream ends like a complete reply` }
    : { verdict: 'warn', detail: `${what}: the stream ends in order, without an error that clients see` }
}
