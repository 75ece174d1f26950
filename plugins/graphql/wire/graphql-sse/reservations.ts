/** The streams of graphql-sse's single connection mode: reserved by a token, opened once, with many operations. */
import { randomUUID } from 'node:crypto'
import type { ExecutionResult } from 'graphql'
import type { SseStream } from 'svc/plugin'

/** An operation of a stream; `stop` ends it at once. */
export interface RunningOperation {
  stop(): void
}

export interface Reservation {
  readonly token: string
  stream: SseStream | null
  /** Breaks the connection of the stream off, without its end. */
  breakOff: () => Promise<void>
  readonly operations: Map<string, RunningOperation>
  /** Ends the reservation if it was not used. */
  expiry: NodeJS.Timeout | null
}

/** A reservation ends when it was not opened for this long. */
const UNUSED_MS = 30_000

export class Reservations {
  readonly #byToken = new Map<string, Reservation>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** Null if there are too many. */
  reserve(): Reservation | null {
    if (this.#byToken.size >= this.#max) return null
    const token = randomUUID()
    const reservation: Reservation = {
      token,
      stream: null,
      breakOff: () => Promise.resolve(),
      operations: new Map(),
      expiry: null,
    }
    reservation.expiry = setTimeout(() => this.end(reservation), UNUSED_MS)
    reservation.expiry.unref()
    this.#byToken.set(token, reservation)
    return reservation
  }

  find(token: string | null): Reservation | null {
    return token === null ? null : (this.#byToken.get(token) ?? null)
  }

  /** Opens the stream of a reservation; `breakOff` breaks its connection. */
  open(reservation: Reservation, stream: SseStream, breakOff: () => Promise<void>): void {
    if (reservation.expiry !== null) clearTimeout(reservation.expiry)
    reservation.expiry = null
    reservation.stream = stream
    reservation.breakOff = breakOff
    stream.signal.addEventListener('abort', () => this.end(reservation), { once: true })
  }

  end(reservation: Reservation): void {
    if (reservation.expiry !== null) clearTimeout(reservation.expiry)
    this.#byToken.delete(reservation.token)
    for (const operation of reservation.operations.values()) operation.stop()
    reservation.operations.clear()
  }

  endAll(): void {
    for (const reservation of this.#byToken.values()) this.end(reservation)
  }
}

/** Sends a result of an operation, or its end. */
export async function sendEvent(
  { stream }: Reservation,
  event: 'next' | 'complete',
  id: string,
  payload?: ExecutionResult,
): Promise<void> {
  if (stream === null || stream.closed) return
  const data = payload === undefined ? { id } : { id, payload }
  if (!stream.send({ event, data })) await stream.ready()
}
