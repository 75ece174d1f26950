/** Events of a stream (WHATWG HTML, 9.2.6), with what the SDKs of vendors accept. */
import type { StreamEvent } from './types.ts'
import { parseJson } from './values.ts'

const MAX_EVENTS = 4_000

/** The complete events that have data or a name; comments are nothing. */
export function readEvents(body: Buffer): StreamEvent[] {
  const events: StreamEvent[] = []
  let name: string | null = null
  let data: string[] = []
  const flush = (): void => {
    if (data.length > 0 || name !== null) events.push(eventOf(name, data.join('\n')))
    name = null
    data = []
  }
  for (const line of body
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)) {
    if (events.length >= MAX_EVENTS) break
    if (line === '') flush()
    if (line === '' || line.startsWith(':')) continue
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') name = value
    else if (field === 'data') data.push(value)
  }
  // The SDKs read a last event without its empty line too.
  flush()
  return events
}

export function eventOf(name: string | null, data: string): StreamEvent {
  const value = parseJson(data)
  return value === undefined ? { name, data } : { name, data, value }
}
