/** Reads the streams of the mock LLM without vendor packages: SSE, JSON lines, AWS event streams. */
import { crc32 } from 'node:zlib'

export interface ReadEvent {
  /** Name of the event, or an empty string. */
  event: string
  data: string
}

/** The events of an event stream (WHATWG HTML, 9.2.6), without comments. */
export function readSse(text: string): ReadEvent[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter(block => block.includes('data:'))
    .map(block => {
      const lines = block.split(/\r?\n/)
      const field = (name: string): string =>
        lines
          .filter(line => line.startsWith(`${name}:`))
          .map(line => line.slice(name.length + 1).replace(/^ /, ''))
          .join('\n')
      return { event: field('event'), data: field('data') }
    })
}

/** The messages of an AWS event stream, named by event type or exception; throws if a length or checksum is wrong. */
export function readAwsEvents(bytes: Buffer): (ReadEvent & { headers: Record<string, string> })[] {
  const events: (ReadEvent & { headers: Record<string, string> })[] = []
  let rest = bytes
  while (rest.length > 0) {
    const total = rest.readUInt32BE(0)
    const headerBytes = rest.readUInt32BE(4)
    const frame = rest.subarray(0, total)
    if (frame.length !== total) throw new Error('a frame is cut off')
    if (crc32(frame.subarray(0, 8)) !== frame.readUInt32BE(8)) throw new Error('wrong checksum of a prelude')
    if (crc32(frame.subarray(0, total - 4)) !== frame.readUInt32BE(total - 4))
      throw new Error('wrong checksum of a message')
    const headers = readHeaders(frame.subarray(12, 12 + headerBytes))
    events.push({
      event: headers[':event-type'] ?? headers[':exception-type'] ?? '',
      headers,
      data: frame.subarray(12 + headerBytes, total - 4).toString(),
    })
    rest = rest.subarray(total)
  }
  return events
}

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at)
    const name = bytes.toString('latin1', at + 1, nameEnd)
    const valueEnd = nameEnd + 3 + bytes.readUInt16BE(nameEnd + 1)
    headers[name] = bytes.toString('utf8', nameEnd + 3, valueEnd)
    at = valueEnd
  }
  return headers
}
