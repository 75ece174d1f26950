/** Reads event streams (WHATWG HTML, 9.2.6) with `fetch`, since `EventSource` cannot send headers. */
import { createParser } from 'eventsource-parser'

export interface ServerEvent {
  /** Default `message`. */
  event: string
  data: string
  /** The last event ID so far. */
  id: string
}

/** Yields the events of a body, without comments. Ends with the body. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const parser = new EventParser()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
      yield* parser.push(decoder.decode(value, { stream: true }))
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** A line with its end. A carriage return at the end of a chunk may be the first half of one. */
const LINE = /[^\r\n]*(?:\r\n|\n|\r(?!$))/g

/** Parses text in chunks, and returns the events that each chunk completes. */
export class EventParser {
  #completed: ServerEvent[] = []
  #id = ''
  #rest = ''
  readonly #parser = createParser({
    onEvent: ({ event, data }) => {
      this.#completed.push({ event: event ?? 'message', data, id: this.#id })
    },
  })

  push(text: string): ServerEvent[] {
    const whole = this.#rest + text
    let end = 0
    for (const { 0: line, index } of whole.matchAll(LINE)) {
      this.#readId(line)
      this.#parser.feed(line)
      end = index + line.length
    }
    this.#rest = whole.slice(end)
    const events = this.#completed
    this.#completed = []
    return events
  }

  /** An event without data is not dispatched, but its id counts. */
  #readId(line: string): void {
    const id = /^id(?:: ?([^\r\n\0]*))?[\r\n]+$/.exec(line)
    if (id !== null) this.#id = id[1] ?? ''
  }
}
