/** Owns one resumable stream of a session: numbered messages that outlive the connection which carries them. */
import type { SseStream } from 'svc/plugin'
import { MAX_PENDING_BYTES } from '../bounds.ts'
import type { ReplayLog } from './replay.ts'

/** Event ids name their stream and are unique in the session: `<stream>-<position>`, position 0 before any message. */
export function readEventId(text: string): { stream: number; sequence: number } | null {
  const match = /^(\d{1,9})-(\d{1,9})$/.exec(text)
  return match ? { stream: Number(match[1]), sequence: Number(match[2]) } : null
}

export class SessionStream {
  readonly number: number
  readonly #log: ReplayLog
  #connection: SseStream | null = null
  #sequence = 0
  #isComplete = false

  constructor(number: number, log: ReplayLog) {
    this.number = number
    this.#log = log
  }

  get isConnected(): boolean {
    return this.#connection !== null && !this.#connection.closed
  }

  /** Nothing can come any more, and nothing is kept. */
  get isFinished(): boolean {
    return this.#isComplete && !this.isConnected && !this.#log.holds(this.number)
  }

  /** Whether a client that has everything up to here can be given everything after it. */
  canResume(sequence: number): boolean {
    if (sequence > this.#sequence) return false
    const kept = this.#log.after(this.number, sequence)
    return kept.length === this.#sequence - sequence
  }

  /** The first connection; a primed one begins with an event that has an id and no message. */
  begin(connection: SseStream, isPrimed: boolean): void {
    this.#connect(connection)
    if (isPrimed) connection.send({ id: this.#eventId(0), retry: 1000, data: '' })
  }

  /** A later connection gets what came after `sequence`, then what still comes. */
  resume(connection: SseStream, sequence: number): void {
    this.#connect(connection)
    for (const message of this.#log.after(this.number, sequence)) this.#send(message.sequence, message.text)
    if (this.#isComplete) connection.end()
  }

  /** A connection that is over is forgotten: through its response it would keep a whole generation of routes in memory. */
  #connect(connection: SseStream): void {
    this.#connection = connection
    void connection.over.then(() => {
      if (this.#connection === connection) this.#connection = null
    })
  }

  /** Sends a message and keeps it: whether the client got it shows only when it comes back. */
  write(text: string): void {
    if (this.#isComplete) return
    this.#sequence++
    this.#log.keep({ stream: this.number, sequence: this.#sequence, text })
    this.#send(this.#sequence, text)
  }

  /** Ends the stream, after the answer if there is one. */
  complete(answer?: string): void {
    if (answer !== undefined) this.write(answer)
    this.#isComplete = true
    this.#connection?.end()
  }

  /** Ends the connection alone. */
  disconnect(): void {
    this.#connection?.end()
    this.#connection = null
  }

  #send(sequence: number, text: string): void {
    if (!this.#connection || this.#connection.closed) return
    this.#connection.send({ id: this.#eventId(sequence), event: 'message', data: text })
    // A reader that is too far behind is sent away rather than buffered for; it can come back for what is kept.
    if (this.#connection.pendingBytes > MAX_PENDING_BYTES && !this.#isComplete) this.disconnect()
  }

  #eventId(sequence: number): string {
    return `${this.number}-${sequence}`
  }
}
