/** Signed thinking comes back to the model in the next turn of a loop. */
import type { Difference, Part } from '../../wires/types.ts'
import { unusableOf, verdictOf, type Unusable } from './compared.ts'
import { question, scene, textPart, TOOLS } from './scenes.ts'
import type { Aspect, ExchangeEvidence, JudgeFacts, RuleStep, Scene, SceneEvidence } from './types.ts'

const WEATHER = { tool_call: { name: 'weather', args: { city: 'Oslo' } } }
const CLOCK = { tool_call: { name: 'clock', args: {} } }
const FIRST = { reasoning: 'First I look at the weather.' }
const SECOND = { reasoning: 'Then I look at the clock.' }
const REDACTED = { redacted: 'c2VjcmV0IHRob3VnaHRz' }

const SCENES: Readonly<Record<string, readonly RuleStep[]>> = {
  'thinking-and-two-calls': [FIRST, WEATHER, CLOCK],
  'redacted-thinking': [FIRST, REDACTED, WEATHER, CLOCK],
  'thinking-between-calls': [FIRST, WEATHER, SECOND, CLOCK],
}

export const THINK: Aspect = {
  id: 'TRN-THINK',
  title: 'Signed thinking comes back',
  level: 'integrity',
  impact: 'high',
  scenes({ upstream }) {
    if (upstream.limits.request.has('signatures')) return []
    return Object.entries(SCENES).map(([id, blocks]): Scene => {
      const ask = question('Which weather, and what time?', {
        tools: [...TOOLS],
        params: { max_tokens: 30_000 },
        thinking: { effort: 'medium', budget: null },
      })
      const results = ['It rains.', 'It is noon.'].map((text, call) => ({ call, parts: [textPart(text)] }))
      return scene(id, ask, { blocks }, { turns: [{ results, reply: { reply: { text: 'Done.', template: false } } }] })
    })
  },
  judge(evidence, facts) {
    const differences: Difference[] = []
    const unusable: Unusable[] = []
    for (const scene of evidence) {
      const found = scene.exchanges.map(exchange => unusableOf(exchange, scene, facts)).find(one => one !== null)
      const [first, second] = scene.exchanges
      if (found !== undefined) unusable.push(found)
      else if (second === undefined)
        unusable.push({ verdict: 'note', detail: `a call of ${scene.scene.id} is missing: see TRN-CALLS` })
      else differences.push(...compared(first!, second, scene, facts))
    }
    return verdictOf(differences, unusable)
  },
}

/** What is sealed, in front of which call. */
interface Sealed {
  value: string
  /** Null: it is redacted, or the wire does not sign the text. */
  text: string | null
  /** Calls that come before it. */
  calls: number
}

function sealedOf(parts: readonly Part[]): Sealed[] {
  const found: Sealed[] = []
  let calls = 0
  for (const part of parts) {
    if (part.type === 'thinking' && part.signature !== null)
      found.push({ value: part.signature, text: part.text === '' ? null : part.text, calls })
    else if (part.type === 'redacted') found.push({ value: part.data, text: null, calls })
    else if ((part.type === 'call' || part.type === 'text') && part.signature !== undefined)
      found.push({ value: part.signature, text: null, calls })
    if (part.type === 'call') calls += 1
  }
  return found
}

function compared(
  { answered, received, arrivals }: ExchangeEvidence,
  second: ExchangeEvidence,
  { scene: { id }, mode }: SceneEvidence,
  { pair }: JudgeFacts,
): Difference[] {
  const before = sealedOf(answered?.reply?.parts ?? [])
  const earlier = arrivals.at(-1)?.request?.turns.length ?? 0
  const turns = second.arrivals.at(-1)?.request?.turns.slice(earlier) ?? []
  const after = sealedOf(turns.flatMap(({ role, parts }) => (role === 'assistant' ? parts : [])))
  // The client could not send back what it did not get.
  const isUnavoidable =
    pair.client.limits.reply.has('signatures') && sealedOf(received?.reply?.parts ?? []).length === 0
  const hasNoRedacted = pair.client.limits.reply.has('redacted')
  let last = -1
  return before.flatMap(({ value, text, calls }, index): Difference[] => {
    const at = { side: 'request', scene: id, mode, path: `/signatures/${index}`, sent: value } as const
    const place = after.findIndex(other => other.value === value)
    const other = after[place]
    if (other === undefined) {
      const cannot = isUnavoidable || (text === null && hasNoRedacted)
      return [{ ...at, kind: cannot ? 'unavoidable' : 'lost' }]
    }
    const isMoved = place < last || other.calls !== calls
    last = Math.max(last, place)
    // The wire of the client has no order of calls and thinking that it could send back.
    const moved = pair.client.limits.reply.has('order') ? 'unavoidable' : 'changed'
    if (isMoved) return [{ ...at, kind: moved, got: value, why: 'at another place' }]
    return text === null || other.text === text
      ? []
      : [{ ...at, path: `${at.path}/text`, kind: 'changed', sent: text, got: other.text }]
  })
}
