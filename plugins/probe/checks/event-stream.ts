/** Events of a response (WHATWG HTML, 9.2.6). */
import type { Call } from '../client/evidence.ts'

export interface ReceivedEvent {
  id: string | null
  data: string
  atMs: number
}

/** Behind the empty line that ends the first event; -1 without one. */
export function endOfEvent(bytes: Buffer): number {
  let wasLineEnd = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 13 && at + 1 === bytes.length) return -1
    if (byte === 13 && bytes[at + 1] === 10) at++
    if (byte !== 13 && byte !== 10) wasLineEnd = false
    else if (wasLineEnd) return at + 1
    else wasLineEnd = true
  }
  return -1
}

/** Calls back with the text of each complete event, and when its last part came. */
export function eachEvent(call: Call, onEvent: (text: string, atMs: number) => void): void {
  let pending: Buffer = Buffer.alloc(0)
  for (const { atMs, bytes } of call.response?.parts ?? []) {
    pending = Buffer.concat([pending, bytes])
    for (let end = endOfEvent(pending); end !== -1; end = endOfEvent(pending)) {
      onEvent(pending.toString('utf8', 0, end), atMs)
      pending = pending.subarray(end)
    }
  }
}

/** The value of all lines of a field, without the space behind the colon. */
export function fieldOfEvent(text: string, name: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .filter(line => line.startsWith(`${name}:`))
    .map(line => line.slice(name.length + 1).replace(/^ /, ''))
}

/** Events with data. */
export function eventsOf(call: Call): ReceivedEvent[] {
  const events: ReceivedEvent[] = []
  eachEvent(call, (text, atMs) => {
    const data = fieldOfEvent(text, 'data').join('\n')
    if (data !== '') events.push({ id: fieldOfEvent(text, 'id')[0] ?? null, data, atMs })
  })
  return events
}

/** The median of how much later events came than the upstream wrote them, which it did in one write each. */
export function medianLagMs(call: Call): number {
  // The head is the first write.
  const written = call.answered?.chunks.slice(1) ?? []
  const lags = eventsOf(call)
    .flatMap(({ atMs }, index) => (written[index] === undefined ? [] : [atMs - written[index].at_ms]))
    .toSorted((a, b) => a - b)
  return lags[Math.floor(lags.length / 2)] ?? 0
}
