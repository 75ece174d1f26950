/** The group `realtime`: sockets of OpenAI's Realtime API. */
import { isRecord } from 'svc/toolkit'
import { defineCheck, fail, note, pass, skip, warn, worst, type Check, type Verdict } from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import { closeFrame, FrameReader } from '../../client/websocket-frames.ts'
import { each, one, type Action } from '../builders.ts'
import { closeOf, eventsOf, sentKey, socket } from './socket.ts'

type RealtimeCheck = Omit<Check, 'group' | 'since' | 'when' | 'judge'> & {
  when?: Check['when']
  judge(evidence: Evidence, facts: Parameters<Check['judge']>[1]): Verdict
}

/** Judges only where sockets are routed, and svc itself has no finding. */
function realtimeCheck({ judge, when, ...check }: RealtimeCheck): Check {
  return defineCheck({
    ...check,
    group: 'realtime',
    since: '2026.2',
    when: { ...when, judgesRefusal: true, http11: true, showsOwnAnswers: true },
    judge(evidence, facts, direct) {
      const { first } = evidence
      if (first.status !== 101) return skip(`realtime not routed: ${first.status ?? 'closed'}`)
      if (direct !== null) {
        const status = direct.first.status
        if (status !== 101) return skip(`svc's own settings: without the gateway it answers ${status ?? 'nothing'}`)
        const own = judge(direct, { ...facts, hasOwnLlmCredential: false })
        if (own.verdict === 'fail' || own.verdict === 'warn') return skip(`without the gateway too: ${own.summary}`)
      }
      return judge(evidence, facts)
    },
  })
}

const TEXT = 'The number is seven, and it was seven before.'
const USAGE = { input: 301, output: 41 }

/** A reply with usage, which is not what the words come to. */
const REPLIES: Action = {
  do: 'serve',
  step: {
    reply: {
      template: false,
      text: TEXT,
      usage: { prompt_tokens: USAGE.input, completion_tokens: USAGE.output },
      stream: { ttft_ms: 0, tokens_per_second: 200, delta_chars: 8 },
    },
  },
}

export const RT_OPEN = realtimeCheck({
  id: 'RT-OPEN',
  title: 'Realtime handshake',
  level: 'other-spec',
  sources: [{ spec: 'OpenAI Realtime API' }],
  page: {
    sent: 'A WebSocket handshake to /realtime with the subprotocols `realtime` and `openai-insecure-api-key.<key>`, as browsers send it.',
    expected: 'The subprotocol `realtime` is chosen, or none.',
    why: 'A browser closes a connection whose subprotocol it did not offer, and one that has the key as its name shows it.',
  },
  plan: facts => one(socket('open', facts, [REPLIES])),
  judge({ first }) {
    const chosen = first.values('sec-websocket-protocol').join(', ')
    if (chosen !== '' && chosen !== 'realtime')
      return fail(`the subprotocol ${chosen.startsWith('openai-insecure') ? 'with the key' : chosen} is chosen`)
    return chosen === '' ? note('no subprotocol is chosen') : pass()
  },
})

export const RT_SUBPROTO = realtimeCheck({
  id: 'RT-SUBPROTO',
  title: 'Keys of realtime clients',
  level: 'hazard',
  sources: [],
  page: {
    sent: 'The same handshake, to a gateway that has its own key for the provider (`credential: gateway`), and a text item.',
    expected: "The client's key does not arrive, neither in Sec-WebSocket-Protocol nor in Authorization.",
    why: 'The key is one for the gateway; the provider does not need to know it.',
  },
  plan: facts => one(socket('key', facts, [REPLIES])),
  judge({ first }, { hasOwnLlmCredential }) {
    if (!hasOwnLlmCredential) return skip('not in --routes: llm.credential: gateway')
    if (first.arrival === null) return skip('the conversation does not arrive')
    const key = sentKey(first)
    const places = ['sec-websocket-protocol', 'authorization'].filter(name =>
      first.arrival!.values(name).some(value => value.includes(key)),
    )
    return places.length > 0 ? warn(`the client's key arrives at the provider (${places.join(', ')})`) : pass()
  },
})

/** Events of a response in the order of the API; those of the beta have other names. */
const ORDER = [
  'session.created',
  'response.created',
  'response.output_item.added',
  'response.content_part.added',
  'response.output_text.delta',
  'response.output_text.done',
  'response.content_part.done',
  'response.output_item.done',
  'response.done',
]
const nameOf = (type: string): string => type.replace(/^response\.text\./, 'response.output_text.')

function usageProblems(call: Call): string[] {
  const events = eventsOf(call)
  const places = events.map(({ type }) => ORDER.indexOf(nameOf(type))).filter(place => place !== -1)
  const types = new Set(events.map(({ type }) => nameOf(type)))
  const missing = ORDER.filter(type => !types.has(type))
  const isOutOfOrder = places.some((place, index) => index > 0 && place < places[index - 1]!)
  const text = events
    .filter(({ type }) => nameOf(type) === 'response.output_text.delta')
    .map(({ delta }) => (typeof delta === 'string' ? delta : ''))
    .join('')
  const done = events.filter(({ type }) => type === 'response.done')
  const response = done[0]?.response
  const usage = isRecord(response) && isRecord(response.usage) ? response.usage : null
  return [
    ...(missing.length > 0 ? [`${missing.join(', ')} ${missing.length > 1 ? 'do' : 'does'} not come`] : []),
    ...(isOutOfOrder ? ['events are out of order'] : []),
    ...(done.length > 1 ? ['response.done comes twice'] : []),
    ...(text === TEXT ? [] : [`the text is ${text === '' ? 'lost' : 'changed'}`]),
    ...(done.length > 0 && usage === null ? ['response.done has no usage'] : []),
    ...(usage !== null && (usage.input_tokens !== USAGE.input || usage.output_tokens !== USAGE.output)
      ? [
          `usage is ${String(usage.input_tokens)} and ${String(usage.output_tokens)}, not ${USAGE.input} and ${USAGE.output}`,
        ]
      : []),
  ]
}

export const RT_USAGE = realtimeCheck({
  id: 'RT-USAGE',
  title: 'Events and usage of a realtime response',
  level: 'integrity',
  sources: [],
  page: {
    sent: 'A text item and `response.create`; the upstream replies with a text in deltas, and with usage.',
    expected: 'The events come back in their order, with the whole text and the same usage.',
    why: 'Clients put texts together from deltas, and gateways bill by `response.done`.',
  },
  plan: facts => one(socket('usage', facts, [REPLIES])),
  judge({ first }) {
    if (first.arrival === null) return skip('the conversation does not arrive')
    const problems = usageProblems(first)
    return problems.length > 0 ? fail(problems.join('; ')) : pass()
  },
})

const CLOSES: readonly [code: number, reason: string][] = [
  [1000, 'done'],
  [1008, 'policy'],
  [1011, 'broken'],
  [4000, 'because'],
]
/** Codes whose change a client cannot do without. */
const STRICT = new Set([1008, 4000])

/** The payload of a close frame, as a script has it. */
function payloadOf(code: number, reason: string): string {
  return new FrameReader().read(closeFrame(code, reason))[0]!.payload.toString('latin1')
}

export const RT_CLOSE = realtimeCheck({
  id: 'RT-CLOSE',
  title: 'Closing realtime sockets',
  level: 'integrity',
  sources: [],
  page: {
    sent: 'Four sockets, which the upstream closes with 1000, 1008, 1011 and 4000, each with a reason, in place of a response.',
    expected: 'Code and reason come back.',
    why: 'A client that receives 1000 does not try again, and one that receives nothing waits.',
  },
  plan: facts =>
    each(
      CLOSES.map(([code, reason]) =>
        socket(String(code), facts, [{ do: 'frame', opcode: 8, payload: payloadOf(code, reason) }]),
      ),
    ),
  judge(evidence) {
    const arrived = CLOSES.filter(([code]) => evidence.call(String(code)).arrival !== null)
    if (arrived.length === 0) return skip('the conversation does not arrive')
    const found = arrived.flatMap(([code, reason]): Verdict[] => {
      const close = closeOf(evidence.call(String(code)))
      if (close === `${code} ${reason}`) return []
      if (close === null) return [warn(`${code}: the client is not closed within 10 s`)]
      return [(STRICT.has(code) ? fail : warn)(`${code} ${reason} comes back as ${close === '' ? 'no code' : close}`)]
    })
    return found.length > 0 ? worst(found) : pass()
  },
})

export const REALTIME_CHECKS: readonly Check[] = [RT_OPEN, RT_SUBPROTO, RT_USAGE, RT_CLOSE]
