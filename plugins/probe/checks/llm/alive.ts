/** What gateways do while a model is silent: comments and pings keep proxies and clients from giving a stream up. */
import { note, skip, type PairContext } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import { connectionOf, exchangeOf, replyStep, textOfReply, type ModelCall } from '../../pairs/model-calls.ts'
import { modelsCheck } from '../../pairs/models-check.ts'
import { question } from './model-scenes.ts'

const SILENCE_MS = 12_000
/** Between two signs of life of the upstream. */
const BEAT_MS = 2_000
const PATIENCE_MS = SILENCE_MS + 8_000
const TEXT = 'Now I have thought about it.'

/** `quiet`: the upstream sends nothing while it is silent, so what comes is the gateway's own. */
type Kind = 'beats' | 'quiet'
const KINDS: readonly Kind[] = ['beats', 'quiet']

function silentCall(context: PairContext, kind: Kind): ModelCall {
  return {
    label: kind,
    context,
    request: question('Think before you answer.'),
    mode: 'stream',
    step: replyStep({
      text: TEXT,
      stream: { ttft_ms: SILENCE_MS, ...(kind === 'beats' ? { shape: `heartbeat=${BEAT_MS}` } : {}) },
    }),
    more: { silenceMs: PATIENCE_MS, timeoutMs: PATIENCE_MS, isValid: false },
  }
}

/** Comments of a stream (WHATWG HTML, 9.2.6) and events named `ping`, as they are written. */
function signsIn(body: Buffer | undefined): string[] {
  return (body?.toString('utf8') ?? '')
    .split(/\r\n|\r|\n/)
    .filter(line => line.startsWith(':') || /^event: ?ping$/.test(line))
    .map(line => line.trim())
}

interface Seen {
  kind: Kind
  sent: number
  received: number
  isSame: boolean
  /** Seconds after which it was given up; null: the reply is complete. */
  cutAfterS: number | null
  status: number | null
}

function seenOf(evidence: Evidence, context: PairContext, kind: Kind): Seen | null {
  const { arrivals, answered, received } = exchangeOf(evidence, { label: kind, context, mode: 'stream' })
  if (arrivals.length === 0) return null
  const { record, status, exchange } = evidence.call(kind)
  const sent = signsIn(answered?.native.body)
  const back = signsIn(received?.native.body)
  const isWhole = received?.reply != null && textOfReply(received.reply) === TEXT
  const endMs = record.response?.endAtMs ?? exchange.endedMs ?? record.sentAtMs
  return {
    kind,
    sent: sent.length,
    received: back.length,
    isSame: back.every(line => sent.includes(line)),
    cutAfterS: isWhole ? null : Math.round((endMs - record.sentAtMs) / 1_000),
    status,
  }
}

export const LLM_ALIVE = modelsCheck({
  id: 'LLM-ALIVE',
  title: 'Silence is filled',
  group: 'llm',
  level: 'observation',
  impact: 'low',
  when: { waits: true, noDirect: true },
  page: {
    sent: `Two streams with ${SILENCE_MS / 1_000} s of silence before the first token: one in which the upstream writes a comment every ${BEAT_MS / 1_000} s, and one in which it writes nothing.`,
    expected:
      'Nothing: whether comments are passed on, replaced or dropped is reported, and whether the gateway has its own.',
    why: 'Proxies and clients close streams in which nothing comes; models that think are silent for a long time.',
  },
  plan: ({ clients: [context] }) => ({ connections: KINDS.map(kind => connectionOf(silentCall(context, kind))) }),
  judge(evidence, { clients: [context] }) {
    const beats = seenOf(evidence, context, 'beats')
    const quiet = seenOf(evidence, context, 'quiet')
    if (beats === null || quiet === null) return skip(`not routed: ${evidence.first.status ?? 'closed'}`)
    // Events that come with every reply of the wire do not count.
    const own = Math.max(0, quiet.received - quiet.sent)
    const passed = Math.max(0, beats.received - quiet.received)
    const fate =
      beats.sent <= quiet.sent
        ? 'the upstream has no comments on this wire'
        : passed > 0
          ? `comments of the upstream are ${beats.isSame ? 'passed on' : 'replaced'} (${passed} of ${beats.sent - quiet.sent})`
          : `comments of the upstream are ${own > 0 ? 'replaced' : 'dropped'}`
    const cut = [beats, quiet].flatMap(({ kind, cutAfterS, status }) =>
      cutAfterS === null
        ? []
        : [
            `the ${kind === 'beats' ? 'stream with comments' : 'silent stream'} is cut after ${cutAfterS} s (${status ?? 'closed'})`,
          ],
    )
    const owned = own === 0 ? 'the gateway has none of its own' : `the gateway has ${own} of its own in a silent stream`
    return note([fate, owned, ...cut].join('; '), { beats, quiet })
  },
})
