/** A conversation with a model on a WebSocket of OpenAI's Realtime API, as the client half holds it. */
import type { Facts } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { Part, RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { closeFrame, conversationIn, encodeFrame, FrameReader, OPCODE } from '../../client/websocket-frames.ts'
import type { Action } from '../builders.ts'
import { parsed } from '../llm/chat.ts'

const KEY = 'c3ZjIHByb2JlIGtleSAxMg=='
/** Where the user of the run has no credential. */
const CLIENT_KEY = 'probe-client-key'
const KEY_PROTOCOL = 'openai-insecure-api-key.'
const TOKEN = /^[\w!#$%&'*+.^`|~-]{1,1000}$/
const SESSION_MS = 5_000
export const REPLY_MS = 10_000

export type RealtimeEvent = Record<string, unknown> & { type: string }

/** Events behind the 101. */
function eventsIn(frames: Buffer): RealtimeEvent[] {
  return new FrameReader().read(frames).flatMap(({ opcode, payload }): RealtimeEvent[] => {
    const event = opcode === OPCODE.text ? parsed(payload.toString('utf8')) : null
    return event !== null && typeof event.type === 'string' ? [event as RealtimeEvent] : []
  })
}

function behindHead(received: Buffer): Buffer | null {
  const end = received.indexOf('\r\n\r\n')
  return end === -1 || !received.toString('latin1', 0, 12).endsWith('101') ? null : received.subarray(end + 4)
}

/** Sends bytes once the condition holds for what came. */
const once = (bytes: Buffer, timeoutMs: number, condition: (frames: Buffer) => boolean): Part => ({
  timeoutMs,
  reply(received) {
    const frames = behindHead(received)
    return frames !== null && condition(frames) ? bytes : null
  },
})
const event = (value: object): Buffer => encodeFrame(OPCODE.text, JSON.stringify(value), { isMasked: true })
const hasType = (frames: Buffer, types: readonly string[]): boolean =>
  eventsIn(frames).some(({ type }) => types.includes(type))
const isClosed = (frames: Buffer): boolean =>
  conversationIn(frames).controls.some(({ opcode }) => opcode === OPCODE.close)

/** The key of the user in the places where clients of browsers have it. */
function fieldsWithKey(extra: readonly Field[]): Field[] {
  const bearer = extra.find(([name, value]) => name.toLowerCase() === 'authorization' && /^bearer /i.test(value))
  const key = bearer?.[1].slice(7).trim() ?? CLIENT_KEY
  const own: Field[] = bearer === undefined ? [['Authorization', `Bearer ${CLIENT_KEY}`]] : []
  const protocols = TOKEN.test(key) ? `realtime, ${KEY_PROTOCOL}${key}` : 'realtime'
  return [...extra, ...own, ['Sec-WebSocket-Protocol', protocols]]
}

/** Where the answer of the server comes from: a handshake alone, a reply, or a close frame in place of one. */
export function socket(label: string, { realtimeModel }: Pick<Facts, 'realtimeModel'>, script: Action[]): RequestSpec {
  const closed = closeFrame(1000, '', true)
  return {
    label,
    method: 'GET',
    path: `/realtime?model=${encodeURIComponent(realtimeModel)}`,
    fields: [
      ['Upgrade', 'websocket'],
      ['Connection', 'Upgrade'],
      ['Sec-WebSocket-Key', KEY],
      ['Sec-WebSocket-Version', '13'],
    ],
    extraFields: fieldsWithKey,
    // The handshake goes to the route itself: the marker is in the conversation.
    noMarker: true,
    http11: true,
    isValid: false,
    timeoutMs: REPLY_MS,
    script: () => script,
    parts: (_render, marker) => [
      once(
        event({
          type: 'conversation.item.create',
          item: {
            type: 'message',
            role: 'user',
            content: [{ type: 'input_text', text: `Say which number it is. ${marker}` }],
          },
        }),
        SESSION_MS,
        frames => hasType(frames, ['session.created']),
      ),
      once(event({ type: 'response.create', response: { output_modalities: ['text'] } }), SESSION_MS, frames =>
        hasType(frames, ['conversation.item.done', 'conversation.item.created', 'error']),
      ),
      once(closed, REPLY_MS, frames => hasType(frames, ['response.done', 'error']) || isClosed(frames)),
    ],
  }
}

export const eventsOf = ({ response }: Call): RealtimeEvent[] => eventsIn(response?.body ?? Buffer.alloc(0))

/** `code reason` of the server's close frame; null without one. */
export function closeOf({ response }: Call): string | null {
  const { controls } = conversationIn(response?.body ?? Buffer.alloc(0))
  return controls.find(({ opcode }) => opcode === OPCODE.close)?.text ?? null
}

/** The key that the client sent. */
export function sentKey({ record }: Call): string {
  return (
    /^authorization: bearer (.*)$/im.exec(record.sent.toString('latin1').split('\r\n\r\n')[0] ?? '')?.[1]?.trim() ?? ''
  )
}
