/** Requests in JSON-RPC, their scripts, and what comes back: for MCP and A2A. */
import type { Call } from '../client/evidence.ts'
import type { RequestSpec } from '../client/request.ts'
import { ARRIVED_ID } from '../upstream/rpc-message.ts'
import type { Field } from '../client/response-parser.ts'
import { bytes, dateField, END, headBytes, KEEP, RECEIVE, wait, type Action } from './builders.ts'
import { eventsOf } from './event-stream.ts'
import { parsed } from './llm/chat.ts'

/** Text of JSON as bytes of UTF-8. */
const utf8 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('latin1')

export interface RpcOptions extends Partial<RequestSpec> {
  params?: (marker: string) => object
  fields?: readonly Field[]
  /** Null: a notification. */
  id?: number | null
}

export function rpc(
  label: string,
  method: string,
  { params = () => ({}), fields = [], id = 1, ...more }: RpcOptions,
): RequestSpec {
  return {
    label,
    method: 'POST',
    path: '',
    fields: [['Content-Type', 'application/json'], ['Accept', 'application/json, text/event-stream'], ...fields],
    content: marker =>
      JSON.stringify({ jsonrpc: '2.0', ...(id === null ? {} : { id }), method, params: params(marker) }),
    http11: true,
    silenceMs: 4_000,
    ...more,
  }
}

/** An answer with JSON, or text of it. */
export function jsonReply(
  value: unknown,
  { status = 200, fields = [] }: { status?: number; fields?: readonly Field[] } = {},
): Action[] {
  const reason = status === 200 ? 'OK' : 'Probe'
  const own: Field[] = [dateField(), ['Content-Type', 'application/json'], ...fields]
  const lines = own.map(([name, field]) => `${name}: ${field}\r\n`).join('')
  return [RECEIVE, { do: 'message', head: `HTTP/1.1 ${status} ${reason}\r\n${lines}`, text: utf8(value) }, KEEP]
}

export const rpcResult = (result: object, fields: readonly Field[] = []): Action[] =>
  jsonReply({ jsonrpc: '2.0', id: ARRIVED_ID, result }, { fields })

export interface StreamedEvent {
  id?: string
  value: object
}

/** A message of JSON-RPC with the id that arrived, in a script. */
export const arrived = (message: object): object => ({ ...message, id: ARRIVED_ID })

/** A stream of events, some time apart. `isCut`: it ends without its last chunk. */
export function eventReply(
  events: readonly StreamedEvent[],
  { gapMs = 0, isCut = false, fields = [] as readonly Field[] } = {},
): Action[] {
  return [
    RECEIVE,
    bytes(
      headBytes([
        dateField(),
        ['Content-Type', 'text/event-stream'],
        ['Cache-Control', 'no-cache'],
        ...fields,
        ['Transfer-Encoding', 'chunked'],
      ]),
    ),
    ...events.flatMap(({ id, value }, index): Action[] => [
      ...(index > 0 && gapMs > 0 ? [wait(gapMs)] : []),
      { do: 'message', text: `${id === undefined ? '' : `id: ${id}\n`}data: ${utf8(value)}\n\n` },
    ]),
    ...(isCut ? [wait(300), END] : [bytes('0\r\n\r\n'), KEEP]),
  ]
}

/** The JSON of the response, also if it is the only event of a stream. */
export function rpcAnswer(call: Call): Record<string, unknown> | null {
  const isStream = call.values('content-type').join().startsWith('text/event-stream')
  return parsed(isStream ? (eventsOf(call).at(-1)?.data ?? '') : (call.response?.body.toString('utf8') ?? ''))
}

/** The JSON of the request as it arrived. */
export function rpcRequest({ arrival }: Call): Record<string, unknown> | null {
  return parsed(arrival?.content.toString('utf8') ?? '')
}
