/** The stream framings: the encoding of events, and the text before and after all events. */
import { awsEventFrame } from 'svc/toolkit'
import type { Framing, StreamEvent } from '../contract/stream.ts'

export interface Framer {
  contentType: string
  /** Written once, before the first event and after the last one. */
  head: string
  tail: string
  frame(event: StreamEvent, isFirst: boolean): string | Buffer
  /** The event with truncated data, which clients can't parse. */
  broken(event: StreamEvent, isFirst: boolean): string | Buffer
}

/** Data of an event on one line: compact JSON, or the unchanged text. */
function line(event: StreamEvent): string {
  return typeof event.data === 'string' ? event.data : JSON.stringify(event.data)
}

function half(event: StreamEvent): string {
  const text = line(event)
  return text.slice(0, Math.max(1, text.length >> 1))
}

function framer(
  contentType: string,
  frame: (text: string, event: StreamEvent, isFirst: boolean) => string | Buffer,
  head = '',
  tail = '',
): Framer {
  return {
    contentType,
    head,
    tail,
    frame: (event, isFirst) => frame(line(event), event, isFirst),
    broken: (event, isFirst) => frame(half(event), event, isFirst),
  }
}

/** By name: SSE (WHATWG HTML, 9.2), newline-delimited JSON, one JSON array, AWS event streams. */
export const framings: Readonly<Record<Framing, Framer>> = {
  sse: framer('text/event-stream; charset=utf-8', (text, event) =>
    event.event === undefined ? `data: ${text}\n\n` : `event: ${event.event}\ndata: ${text}\n\n`,
  ),
  'sse-crlf': framer('text/event-stream', text => `data: ${text}\r\n\r\n`),
  ndjson: framer('application/x-ndjson', text => `${text}\n`),
  // The bracket is on a separate line, as in Google's responses: some clients drop the last line.
  'json-array': framer(
    'application/json; charset=UTF-8',
    (text, _event, isFirst) => (isFirst ? text : `,\r\n${text}`),
    '[',
    '\n]',
  ),
  'aws-eventstream': framer('application/vnd.amazon.eventstream', eventFrame),
}

/** An event of Bedrock, or an exception. */
function eventFrame(payload: string, { event, exception }: Pick<StreamEvent, 'event' | 'exception'>): Buffer {
  const kind: Record<string, string> =
    exception === undefined ? { ':event-type': event ?? 'chunk' } : { ':exception-type': exception }
  const type = exception === undefined ? 'event' : 'exception'
  return awsEventFrame({ ...kind, ':content-type': 'application/json', ':message-type': type }, payload)
}
