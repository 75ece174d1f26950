/** Reads an event stream (WHATWG HTML, 9.2.6) from a fetch: `EventSource` can send no credentials. */

export interface ServerEvent {
  /** Default `message`. */
  event: string
  data: string
  /** The last id that the stream gave. */
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

/** The line parser: takes text as it comes, gives the events that it completes. */
export class EventParser {
  #rest = ''
  #event = ''
  #data: string[] = []
  #id = ''

  push(text: string): ServerEvent[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop()!
    const events: ServerEvent[] = []
    for (const line of lines) {
      if (line === '') this.#dispatch(events)
      else this.#take(line)
    }
    return events
  }

  #dispatch(events: ServerEvent[]): void {
    if (this.#data.length > 0) events.push({ event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id })
    this.#event = ''
    this.#data = []
  }

  #take(line: string): void {
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.#event = value
    else if (field === 'data') this.#data.push(value)
    else if (field === 'id' && !value.includes('\0')) this.#id = value
  }
}
