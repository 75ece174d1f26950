/** Results of a subscription, or of an answer in parts, as they came: in events, in parts of multipart/mixed, or in messages. */
import { isRecord } from 'svc/toolkit'
import type { Call } from '../../client/evidence.ts'
import { ConversationReader, OPCODE } from '../../client/websocket-frames.ts'
import { eachEvent, fieldOfEvent } from '../event-stream.ts'
import { valueAt } from './answers.ts'
import { jsonOf } from './fetches.ts'

export interface StreamResults {
  results: { data: unknown; atMs: number }[]
  /** The stream reported a failure. */
  hasError: boolean
  /** It ended as one that is complete. */
  isComplete: boolean
}

/** Null: the answer is not in this form, so the gateway does not offer it. */
export function eventResults(call: Call): StreamResults | null {
  if (!typeOf(call).startsWith('text/event-stream')) return null
  const found: StreamResults = { results: [], hasError: false, isComplete: false }
  eachEvent(call, (text, atMs) => {
    const [name = 'next'] = fieldOfEvent(text, 'event')
    const data = jsonOf(fieldOfEvent(text, 'data').join('\n'))
    if (name === 'complete') found.isComplete = true
    else add(found, data, atMs)
  })
  return found
}

export function partResults(call: Call): StreamResults | null {
  if (!typeOf(call).startsWith('multipart/mixed')) return null
  const found: StreamResults = { results: [], hasError: false, isComplete: false }
  for (const { value, atMs } of partsOf(call)) {
    if (isRecord(value) && Object.keys(value).length === 0) continue
    const payload = isRecord(value) && 'payload' in value ? value.payload : value
    if (isRecord(value) && Array.isArray(value.errors)) found.hasError = true
    if (payload !== null) add(found, payload, atMs)
  }
  found.isComplete = call.bodyText.includes(`--${boundaryOf(call)}--`)
  return found
}

/** Messages of graphql-transport-ws. */
export function messageResults(call: Call): StreamResults | null {
  if (call.status !== 101) return null
  const found: StreamResults = { results: [], hasError: false, isComplete: false }
  for (const message of messagesIn(call.response?.body ?? Buffer.alloc(0))) {
    const { type, payload } = message
    if (type === 'next') add(found, payload, 0)
    else if (type === 'error') found.hasError = true
    else if (type === 'complete') found.isComplete = true
  }
  return found
}

export function messagesIn(bytes: Buffer): Record<string, unknown>[] {
  const messages: unknown[] = []
  new ConversationReader().read(bytes, (opcode, payload) => {
    if (opcode === OPCODE.text) messages.push(jsonOf(payload.toString()))
  })
  return messages.filter(isRecord)
}

function add(found: StreamResults, value: unknown, atMs: number): void {
  if (Array.isArray(valueAt(value, 'errors'))) found.hasError = true
  const data = valueAt(value, 'data')
  if (data !== undefined && data !== null) found.results.push({ data, atMs })
}

const typeOf = (call: Call): string => (call.values('content-type')[0] ?? '').toLowerCase()

function boundaryOf(call: Call): string {
  return /boundary="?([^";]+)"?/i.exec(call.values('content-type')[0] ?? '')?.[1] ?? '-'
}

/** White space behind a boundary. */
const MAX_PADDING = 100

/** The lines with the boundary, with the line break before them (RFC 2046, 5.1.1). */
function bordersIn(text: string, boundary: string): { from: number; until: number }[] {
  const line = `--${boundary}`
  const borders: { from: number; until: number }[] = []
  for (let at = text.indexOf(line); at !== -1; at = text.indexOf(line, at + line.length)) {
    const end = text.indexOf('\n', at)
    const behind = at + line.length
    if (end === -1 || end - behind > MAX_PADDING) continue
    if (!['', '--'].includes(text.slice(behind, end).trim())) continue
    const lineBreak = text.startsWith('\r\n', at - 2) ? 2 : text[at - 1] === '\n' ? 1 : 0
    borders.push({ from: at - lineBreak, until: end + 1 })
  }
  return borders
}

/** Complete parts with JSON, and when their last byte came. */
export function partsOf(call: Call): { value: unknown; atMs: number }[] {
  const text = call.bodyText
  const pieces = call.response?.parts ?? []
  const found: { value: unknown; atMs: number }[] = []
  const borders = bordersIn(`${text}\r\n`, boundaryOf(call))
  for (const [index, { until: from }] of borders.entries()) {
    const until = borders[index + 1]?.from
    if (until === undefined) break
    const part = text.slice(from, until)
    const at = part.search(/\r?\n\r?\n/)
    const value = jsonOf(Buffer.from(at === -1 ? part : part.slice(at), 'latin1').toString())
    if (value !== null) found.push({ value, atMs: arrivedAt(pieces, until) })
  }
  return found
}

function arrivedAt(pieces: readonly { atMs: number; bytes: Buffer }[], size: number): number {
  let received = 0
  for (const { atMs, bytes } of pieces) {
    received += bytes.length
    if (received >= size) return atMs
  }
  return pieces.at(-1)?.atMs ?? 0
}
