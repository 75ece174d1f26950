/** Passes a stream on while it comes, in the words of the client. */
import type { ServerResponse } from 'node:http'
import type { Reply } from '../../../plugins/probe/wires/types.ts'
import type { ReplyWriter } from './replies/writer.ts'

type Piece = string | Buffer

/** Text at the end of a reply that goes on. */
const MORE = 'x'.repeat(40)

export interface StreamOptions {
  model: string
  change?: ((events: Piece[]) => Piece[]) | undefined
  fields?: Record<string, string>
}

export class ReplyStream {
  readonly #response: ServerResponse
  readonly #write: (reply: Reply) => Piece[]
  #sent = 0

  /** `change`: of all events of a stream. `fields`: of its head. */
  constructor(
    response: ServerResponse,
    writer: ReplyWriter,
    { model, change = events => events, fields = {} }: StreamOptions,
  ) {
    this.#response = response
    this.#write = reply => change(writer.events(reply, model))
    response.writeHead(200, { 'Content-Type': writer.streamType, Server: 'toy', ...fields })
    response.flushHeaders()
  }

  /** Writes the events that will not change when more of the reply comes. */
  pass(reply: Reply): void {
    const last = reply.parts.at(-1)
    if (last?.type !== 'text' || reply.parts.length > 1) return
    const now = this.#write(reply)
    const then = this.#write({ ...reply, parts: [{ ...last, text: last.text + MORE }] })
    const end = now.findIndex((event, index) => !isSame(event, then[index]))
    this.#send(now.slice(0, Math.max(end, 0)))
  }

  end(reply: Reply): void {
    this.#send(this.#write(reply))
    this.#response.end()
  }

  /** Writes the end of the reply as if there were none of it yet. */
  again(reply: Reply): void {
    this.pass(reply)
    this.#sent = 0
    this.end(reply)
  }

  fail(event: Piece): void {
    this.#response.write(event)
    this.#response.end()
  }

  #send(events: readonly Piece[]): void {
    for (const event of events.slice(this.#sent)) this.#response.write(event)
    this.#sent = Math.max(this.#sent, events.length)
  }
}

function isSame(one: Piece, other: Piece | undefined): boolean {
  return other !== undefined && Buffer.from(one).equals(Buffer.from(other))
}
