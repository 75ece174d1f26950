/** Streams of the upstream that have a content coding. */
import { fail, pass, skip, warn, worst, type PairContext, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { connectionOf, exchangeOf, replyStep, textOfReply, type ModelCall } from '../../pairs/model-calls.ts'
import { modelsCheck } from '../../pairs/models-check.ts'
import { canDecode, decoded } from '../../pairs/wire-requests.ts'
import { question } from './model-scenes.ts'

/** Of the upstream, as far as this process can read them. */
const CODINGS = (['gzip', 'br', 'zstd'] as const).filter(canDecode)
const TEXT = Array.from({ length: 20 }, (_, index) => `word${index}`).join(' ')
/** Twenty deltas, which take about a second. */
const PACE = { ttft_ms: 10, tokens_per_second: 20, delta_chars: 8 }
/** Of the time of the whole stream. */
const LATE = 0.9

function codedCall(context: PairContext, coding: (typeof CODINGS)[number]): ModelCall {
  return {
    label: coding,
    context,
    request: question('Count the words.'),
    mode: 'stream',
    step: replyStep({ text: TEXT, stream: { ...PACE, shape: `${coding}=force` } }),
  }
}

function isLate({ record, response }: Call): boolean {
  const first = response?.parts[0]?.atMs
  const end = response?.endAtMs
  if (first === undefined || end == null || end <= record.sentAtMs) return false
  return (first - record.sentAtMs) / (end - record.sentAtMs) > LATE
}

export const LLM_GZIP = modelsCheck({
  id: 'LLM-GZIP',
  title: 'Compressed streams',
  group: 'llm',
  level: 'integrity',
  when: { judgesDirect: true },
  page: {
    sent: 'Streams that the upstream compresses with gzip, br and zstd. The last two count only if the gateway accepts them.',
    expected: 'The same text, event by event, with a Content-Encoding that is true.',
    why: 'Gateways that read the events of a stream have to decompress it, and to remove or keep the field with it.',
    seen: ['Kong/kong#14893', 'envoyproxy/ai-gateway#2554', 'agentgateway/agentgateway#909'],
  },
  plan: ({ clients: [context] }) => ({ connections: CODINGS.map(coding => connectionOf(codedCall(context, coding))) }),
  judge(evidence, { clients: [context] }) {
    const found = CODINGS.flatMap((coding): Verdict[] => {
      const call = evidence.call(coding)
      const { arrivals, received } = exchangeOf(evidence, codedCall(context, coding))
      const arrival = arrivals.at(-1)
      if (arrival === undefined) return []
      const accepted = arrival.native.fields
        .filter(([name]) => name.toLowerCase() === 'accept-encoding')
        .some(([, value]) => value.toLowerCase().includes(coding))
      // A coding that was not announced is the upstream's fault.
      if (coding !== 'gzip' && !accepted) return []
      const judged = accepted ? fail : warn
      const text = received?.reply == null ? null : textOfReply(received.reply)
      const field = call.values('content-encoding').join(', ')
      const { response } = call
      if (response !== null && !decoded(response.body, response.fields).isTrue)
        return [judged(`${coding}: the body is not what its Content-Encoding ${field} says`)]
      if (text !== TEXT)
        return [
          judged(
            `${coding}: the text is ${text === null || text === '' ? 'lost' : 'changed'}, Content-Encoding ${field || 'is absent'}`,
          ),
        ]
      return isLate(call) ? [warn(`${coding}: all events come at the end`)] : [pass()]
    })
    return found.length === 0 ? skip(`not routed: ${evidence.first.status ?? 'closed'}`) : worst(found)
  },
})
