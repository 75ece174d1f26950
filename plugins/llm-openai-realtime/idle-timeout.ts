/** Notices that nobody speaks for a time after a response has been played (`idle_timeout_ms`). */
import type { LlmSocket } from '../llm/types.ts'

export interface IdleTimeoutOptions {
  /** Duration of all input audio so far. */
  audioMs(): number
  /** The time is over; it began at this time of the input audio. */
  reached(fromMs: number): void
}

export class IdleTimeout {
  readonly #socket: Pick<LlmSocket, 'after'>
  readonly #options: IdleTimeoutOptions
  #cancel: (() => void) | null = null

  constructor(socket: Pick<LlmSocket, 'after'>, options: IdleTimeoutOptions) {
    this.#socket = socket
    this.#options = options
  }

  /** The time begins when the sound of a response has been played, which takes `playMs`: at once if there is none. */
  start(playMs: number, idleMs: number): void {
    this.stop()
    if (playMs > 0) this.#cancel = this.#socket.after(playMs, () => this.#begin(idleMs))
    else this.#begin(idleMs)
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  #begin(idleMs: number): void {
    const fromMs = this.#options.audioMs()
    this.#cancel = this.#socket.after(idleMs, () => {
      this.#cancel = null
      this.#options.reached(fromMs)
    })
  }
}
