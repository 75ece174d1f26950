/** Counts of tokens before a request is sent. */
import { emptyReply } from '../../wires/neutral.ts'
import type { Difference } from '../../wires/types.ts'
import { unusableOf, verdictOf, type Unusable } from './compared.ts'
import { question, TOOLS } from './scenes.ts'
import type { Aspect, ExchangeEvidence, Scene, SceneEvidence } from './types.ts'

/** The same request twice: a number that is remembered is found too. */
const COUNTS: Readonly<Record<string, number>> = { first: 4_711, second: 17 }
/** A gateway that has no such route. */
const NOT_OFFERED = new Set([404, 405, 501])

export const COUNT: Aspect = {
  id: 'TRN-COUNT',
  title: 'Token counts',
  level: 'integrity',
  impact: 'medium',
  scenes({ client, upstream }) {
    if (client.count === undefined || upstream.count === undefined) return []
    return Object.entries(COUNTS).map(
      ([id, count]): Scene => ({
        id,
        modes: ['plain'],
        operation: 'count',
        request: question('How long is this?', {
          system: [{ text: 'You answer with few words.', after: 0 }],
          tools: [...TOOLS],
        }),
        reply: { reply: { count } },
      }),
    )
  },
  judge(evidence, facts) {
    const differences: Difference[] = []
    const unusable: Unusable[] = []
    for (const scene of evidence)
      for (const exchange of scene.exchanges) {
        const found =
          ownAnswer(exchange, scene) ?? unusableOf({ ...exchange, received: withReply(exchange) }, scene, facts)
        if (found !== null) unusable.push(found)
        else differences.push(...compared(exchange, scene))
      }
    return verdictOf(differences, unusable)
  },
}

/** Without an arrival the gateway has counted itself, or counts nothing. */
function ownAnswer({ arrivals, received }: ExchangeEvidence, { scene }: SceneEvidence): Unusable | null {
  if (arrivals.length > 0 || received === null) return null
  const { status } = received.native
  if (NOT_OFFERED.has(status)) return { verdict: 'skip', detail: `counts are not offered: ${status}` }
  const { count } = received
  if (typeof count !== 'number' || count === COUNTS[scene.id]) return null
  return { verdict: 'fail', detail: `the gateway counts ${count} itself, the provider ${COUNTS[scene.id]}` }
}

/** A count is not an error, though there is no reply. */
function withReply({ received }: ExchangeEvidence): ExchangeEvidence['received'] {
  return received === null || received.error !== null ? received : { ...received, reply: emptyReply() }
}

function compared({ answered, received }: ExchangeEvidence, { scene, mode }: SceneEvidence): Difference[] {
  const [sent, got] = [answered?.count ?? null, received?.count ?? null]
  if (sent === null || sent === got) return []
  const at = { side: 'reply', scene: scene.id, mode, path: '/count', sent } as const
  return [got === null ? { ...at, kind: 'lost' } : { ...at, kind: 'changed', got }]
}
