/** Owns one resumable stream of a session, which can continue on a new connection. */
import type { SseStream } from 'svc/plugin'
import { MAX_PENDING_BYTES } from '../bounds.ts'
import type { ReplayLog } from './replay.ts'

/** Parses an event id: `<stream>-<position>`. Messages have positions from 1; 0 is before the first message. */
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

  /** Complete, disconnected, and without kept messages. */
  get isFinished(): boolean {
    return this.#isComplete && !this.isConnected && !this.#log.holds(this.number)
  }

  /** Whether all messages after this position are still kept. */
  canResume(sequence: number): boolean {
    if (sequence > this.#sequence) return false
    const kept = this.#log.after(this.number, sequence)
    return kept.length === this.#sequence - sequence
  }

  /** Attaches the first connection. If primed, it begins with an event that has an id but no message. */
  begin(connection: SseStream, isPrimed: boolean): void {
    this.#connect(connection)
    if (isPrimed) connection.send({ id: this.#eventId(0), retry: 1000, data: '' })
  }

  /** Attaches a later connection: sends the messages after `sequence`, then new ones. */
  resume(connection: SseStream, sequence: number): void {
    this.#connect(connection)
    for (const message of this.#log.after(this.number, sequence)) this.#send(message.sequence, message.text)
    if (this.#isComplete) connection.end()
  }

  /** Drops the reference to a closed connection, which would keep the routes before a reload in memory. */
  #connect(connection: SseStream): void {
    this.#connection = connection
    void connection.over.then(() => {
      if (this.#connection === connection) this.#connection = null
    })
  }

  /** Sends a message and keeps it, in case the client did not receive it. */
  write(text: string): void {
    if (this.#isComplete) return
    this.#sequence++
    this.#log.keep({ stream: this.number, sequence: this.#sequence, text })
    this.#send(this.#sequence, text)
  }

  /** Sends the response, if any, and ends the stream. */
  complete(response?: string): void {
    if (response !== undefined) this.write(response)
    this.#isComplete = true
    this.#connection?.end()
  }

  /** Ends the connection, but not the stream. */
  disconnect(): void {
    this.#connection?.end()
    this.#connection = null
  }

  #send(sequence: number, text: string): void {
    if (!this.#connection || this.#connection.closed) return
    this.#connection.send({ id: this.#eventId(sequence), event: 'message', data: text })
    // Disconnects a slow reader instead of buffering for it; it can reconnect and resume.
    if (this.#connection.pendingBytes > MAX_PENDING_BYTES && !this.#isComplete) this.disconnect()
  }

  #eventId(sequence: number): string {
    return `${this.number}-${sequence}`
  }
}
