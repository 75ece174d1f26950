/** Reads an event stream (WHATWG HTML, 9.2.6) from a fetch: `EventSource` can send no credentials. */
import { createParser } from 'eventsource-parser'

export interface ServerEvent {
  /** Default `message`. */
  event: string
  data: string
  /** The last id that the stream gave, with this event or before it. */
  id: string
}

/** The events of a body, one after another; comments are left out. Ends with the body. */
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

/** Takes text as it comes, gives the events that it completes. */
export class EventParser {
  #completed: ServerEvent[] = []
  #id = ''
  readonly #parser = createParser({
    // Also of an event without data, which is not dispatched.
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
