/** What a client makes of replies of models, and sends back. For other plugins: `probe.conversations`. */
import type { ReplyTurn, SeenAnswer, SeenReply } from '../types.ts'
import { emptyRequest } from './neutral.ts'
import type { Part, Reply, StreamReading, Turn, Wire, WireAnswer } from './types.ts'
import { listOf, membersOf, parseJson } from './values.ts'
import { wireOf } from './wires.ts'

interface Route {
  method: string
  target: string
}

/** The member of a body that has the conversation. */
const CONVERSATIONS: Readonly<Record<string, string>> = { responses: 'input', gemini: 'contents' }

/** Null: the request is not one for a generation. */
export function readSeenReply(request: Route, answer: SeenAnswer, wires: readonly Wire[]): SeenReply | null {
  const wire = generatingWire(request, wires)
  if (wire === null) return null
  const native: WireAnswer = { ...answer, body: Buffer.from(answer.body) }
  const isStream = native.fields.some(([name, value]) => /^content-type$/i.test(name) && /event-stream/i.test(value))
  const stream = isStream ? wire.readStream(native) : null
  const error = wire.readError(native) ?? stream?.error ?? null
  const reply = stream?.reply ?? wire.readReply(native)
  return {
    text: reply.parts.map(part => (part.type === 'text' ? part.text : '')).join(''),
    calls: reply.parts.flatMap(part =>
      part.type === 'call'
        ? [{ id: part.id, name: part.name, args: part.args, signature: part.signature ?? null }]
        : [],
    ),
    thoughts: reply.parts.flatMap(part => (part.type === 'thinking' ? [{ signature: part.signature }] : [])),
    error: error === null ? null : { status: error.status, message: error.message },
    problems: error === null ? problemsOf(reply, stream) : [],
    turn: { role: 'assistant', parts: reply.parts, native: reply.native } satisfies Turn,
  }
}

function problemsOf(reply: Reply, stream: StreamReading | null): string[] {
  const found = [...reply.problems, ...(stream?.grammar.filter(({ isNote }) => !isNote) ?? [])]
  const texts = found.map(({ at, text }) => `${at}: ${text}`)
  return stream?.isEnded === false && texts.length === 0 ? ['the stream has no end'] : texts
}

/** The reply as it came, and the results of its calls, as a client of the format adds them to its next request. */
export function continuedItems(request: Route, { turn, results }: ReplyTurn, wires: readonly Wire[]): unknown[] {
  const wire = generatingWire(request, wires)
  if (wire === null) return []
  const parts = results.map(
    ({ id, name, text }): Part => ({ type: 'result', id, name, parts: [{ type: 'text', text }], error: false }),
  )
  const turns: Turn[] = [turn as Turn, ...(parts.length === 0 ? [] : [{ role: 'user' as const, parts }])]
  const { body } = wire.writeRequest({ ...emptyRequest(), turns }, { model: '', stream: false })
  return listOf(membersOf(parseJson(body.toString('utf8')))[CONVERSATIONS[wire.id] ?? 'messages'])
}

function generatingWire({ method, target }: Route, wires: readonly Wire[]): Wire | null {
  const found = wireOf(wires, method, target.split('?', 1)[0]!)
  return found?.operation === 'generate' ? found.wire : null
}
