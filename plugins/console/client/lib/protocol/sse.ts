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

/** Parses text in chunks, and returns the events that each chunk completes. */
export class EventParser {
  #completed: ServerEvent[] = []
  #id = ''
  readonly #parser = createParser({
    // Also called for events without data, which are not dispatched.
    onId: id => {
      this.#id = id
    },
    onEvent: ({ event, data }) => {
      this.#completed.push({ event: event ?? 'message', data, id: this.#id })
    },
  })

  push(text: string): ServerEvent[] {
    this.#parser.feed(text)
    const events = this.#completed
    this.#completed = []
    return events
  }
}
