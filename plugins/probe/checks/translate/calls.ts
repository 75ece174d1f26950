/** Tool calls of replies. */
import type { Difference } from '../../wires/types.ts'
import { comparedAspect } from './compared.ts'
import { question, scene, TOOLS } from './scenes.ts'
import type { ExchangeEvidence, JudgeFacts, SceneEvidence } from './types.ts'

const CITY = { name: 'weather', args: { city: 'Oslo' } }
const CLOCK = { name: 'clock', args: {} }
const QUOTES = { name: 'weather', args: { city: 'a "b" \\ c\nd', note: '{"nested":["\\"",1]}' } }
/** Whose streams can have the deltas of calls in other orders. */
const CHAT_STREAMS = new Set<string>(['chat', 'azure'])

export const CALLS = comparedAspect({
  id: 'TRN-CALLS',
  title: 'Tool calls',
  impact: 'high',
  reply: /^\/parts(?:\/|$)/,
  more: missingIds,
  scenes({ upstream }) {
    const ask = question('Which weather, and what time?', { tools: [...TOOLS] })
    const two = { text: 'I look.', tool_calls: [CITY, CLOCK] }
    return [
      scene('text-and-two-calls', ask, two),
      scene('one-tool-twice', ask, { tool_calls: [CITY, { name: 'weather', args: { city: 'Rome' } }] }),
      scene('no-arguments', ask, { tool_calls: [CLOCK] }),
      scene('quotes', ask, { tool_calls: [QUOTES] }),
      ...(CHAT_STREAMS.has(upstream.id)
        ? ['interleaved', 'fused'].map(order =>
            scene(`${order}-deltas`, ask, { ...two, stream: { shape: `tools=${order}` } }, { modes: ['stream'] }),
          )
        : []),
    ]
  },
})

/** Results are returned by the id of their call. The Gemini API works without. */
function missingIds({ received }: ExchangeEvidence, { scene: { id }, mode }: SceneEvidence, { pair }: JudgeFacts) {
  if (pair.client.id === 'gemini') return []
  return (received?.reply?.parts ?? []).flatMap((part, index): Difference[] =>
    part.type === 'call' && (part.id === null || part.id === '')
      ? [{ side: 'reply', scene: id, mode, path: `/parts/${index}/id`, kind: 'lost', sent: 'an id' }]
      : [],
  )
}
