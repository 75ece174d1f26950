/** Writes one resumable stream of a session: sends its messages on the first connection and keeps them for later ones. */
import type { SseStream } from 'svc/plugin'
import { MAX_PENDING_BYTES } from '../bounds.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import { eventId, type KeptMessage } from './kept-messages.ts'

export class SessionStream {
  readonly #keep: (message: KeptMessage) => void
  readonly #call: RequestId | null
  #number: number | null = null
  /** Steps that wait for the number; null once it is known. */
  #waiting: (() => void)[] | null = []
  #connection: SseStream | null = null
  #position = 0
  #isComplete = false

  /** Without a number (the session has ended, or its store is unavailable), messages have no ids and are not kept. */
  constructor(
    number: Promise<number | undefined>,
    keep: (message: KeptMessage) => void,
    call: RequestId | null = null,
  ) {
    this.#keep = keep
    this.#call = call
    number.then(
      known => this.#start(known ?? null),
      () => this.#start(null),
    )
  }

  /** Null until it is known. */
  get number(): number | null {
    return this.#number
  }

  /** Position of the newest message. */
  get position(): number {
    return this.#position
  }

  get isConnected(): boolean {
    return this.#connection !== null && !this.#connection.closed
  }

  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Attaches the first connection. If primed, it begins with an event that has an id but no message. */
  begin(connection: SseStream, isPrimed: boolean): void {
    this.#connection = connection
    // A reference to a closed connection would keep the routes before a reload in memory.
    void connection.over.then(() => {
      this.#connection = null
    })
    this.#inOrder(() => {
      if (isPrimed && this.#number !== null) connection.send({ id: eventId(this.#number, 0), retry: 1000, data: '' })
    })
  }

  /** Sends a message and keeps it, in case the client did not receive it. */
  write(text: string): void {
    this.#inOrder(() => this.#write(text, false))
  }

  /** Sends the response, if any, and ends the stream. */
  complete(response?: string): void {
    this.#inOrder(() => {
      if (response !== undefined) this.#write(response, true)
      else this.#keepMessage(null, true)
      this.abandon()
    })
  }

  /** Ends the connection, but not the stream. */
  disconnect(): void {
    this.#inOrder(() => this.#connection?.end())
  }

  /** Ends the connection and writes no more. */
  abandon(): void {
    this.#isComplete = true
    this.#connection?.end()
  }

  #start(number: number | null): void {
    const steps = this.#waiting ?? []
    this.#number = number
    this.#waiting = null
    for (const step of steps) step()
  }

  #inOrder(step: () => void): void {
    if (this.#waiting) this.#waiting.push(step)
    else step()
  }

  #write(text: string, isLast: boolean): void {
    if (this.#isComplete) return
    this.#position++
    this.#keepMessage(text, isLast)
    if (this.#connection) sendMessage(this.#connection, this.#number, this.#position, text, isLast)
  }

  #keepMessage(text: string | null, isLast: boolean): void {
    if (this.#number === null || this.#isComplete) return
    this.#keep({
      stream: this.#number,
      position: this.#position,
      text,
      isLast,
      ...(this.#call !== null && { call: this.#call }),
    })
  }
}

/** Sends a message. Disconnects a slow reader instead of buffering for it; it can reconnect and resume. */
export function sendMessage(
  connection: SseStream,
  stream: number | null,
  position: number,
  text: string,
  isLast: boolean,
): void {
  if (connection.closed) return
  const id = stream === null ? {} : { id: eventId(stream, position) }
  connection.send({ ...id, event: 'message', data: text })
  if (connection.pendingBytes > MAX_PENDING_BYTES && !isLast) connection.end()
}
