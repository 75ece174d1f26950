/** Replies of several clients at the same time. */
import { fail, pass, skip, type PairContext } from '../../catalog/check.ts'
import { connectionOf, exchangeOf, replyStep, textOfReply, type ModelCall } from '../../pairs/model-calls.ts'
import { modelsCheck, type Models } from '../../pairs/models-check.ts'
import { question } from './model-scenes.ts'

/** One for each stream; none is a part of another one. */
const WORDS = ['amber', 'birch', 'cobalt', 'dune', 'ember', 'fjord', 'granite', 'heather']
/** Streams that fail. */
const FAILING = new Set([2, 5])
const REPEATS = 12
/** About 15 ms between deltas. */
const PACE = { ttft_ms: 30, tokens_per_second: 66 }

const usageOf = (index: number): { input: number; output: number } => ({ input: 301 + index, output: 41 + index })

function callsOf({ clients, tenants }: Pick<Models, 'clients' | 'tenants'>): ModelCall[] {
  return WORDS.map((word, index): ModelCall => {
    const context: PairContext = clients[index % Math.min(2, clients.length)]!
    const { input, output } = usageOf(index)
    const step = FAILING.has(index)
      ? { fail: 400, message: `The upstream says ${word}.` }
      : replyStep({
          text: Array.from({ length: REPEATS }, () => word).join(' '),
          usage: { prompt_tokens: input, completion_tokens: output },
          stream: { ...PACE, delta_chars: word.length + 1 },
        })
    const tenant = tenants.length === 0 ? undefined : tenants[Math.floor(index / 2) % tenants.length]!
    const request = question('Repeat your word.')
    return { label: word, context, request, mode: 'stream', step, ...(tenant === undefined ? {} : { tenant }) }
  })
}

export const LLM_ISOLATION = modelsCheck({
  id: 'LLM-ISOLATION',
  title: 'Streams stay apart',
  group: 'llm',
  level: 'integrity',
  when: { alone: true, judgesDirect: true },
  page: {
    sent: 'Eight streams at once on up to two client wires, six with words and usage of their own, two with errors of their own.',
    expected: 'Each client gets its own words, ids, error and usage.',
    why: 'What one client gets of the reply to another one is a leak.',
  },
  plan: models => ({ connections: callsOf(models).map(one => connectionOf(one)) }),
  judge(evidence, models) {
    const calls = callsOf(models)
    const exchanges = calls.map(one => exchangeOf(evidence, one))
    if (exchanges.every(({ arrivals }) => arrivals.length === 0))
      return skip(`not routed: ${evidence.first.status ?? 'closed'}`)
    const wrong = exchanges.flatMap(({ received, answered }, index): string[] => {
      const name = WORDS[index]!
      const text = [
        received?.reply == null ? '' : textOfReply(received.reply),
        received?.native.body.toString('utf8') ?? '',
      ].join('\n')
      const others = WORDS.filter(word => word !== name && text.includes(word))
      const id = received?.reply?.id ?? null
      const isForeignId = exchanges.some(
        (other, place) =>
          place !== index && id !== null && other.answered?.reply?.id === id && answered?.reply?.id !== id,
      )
      const usage = received?.reply?.usage ?? null
      const ofUsage = WORDS.filter((_word, place) => {
        const { input, output } = usageOf(place)
        return place !== index && usage?.input === input && usage.output === output
      })
      return [
        ...others.map(word => `${name} gets words of ${word}`),
        ...(isForeignId ? [`${name} gets the id of another`] : []),
        ...ofUsage.map(word => `${name} gets the usage of ${word}`),
      ]
    })
    return wrong.length > 0 ? fail(wrong.slice(0, 5).join('; '), { wrong }) : pass()
  },
})
