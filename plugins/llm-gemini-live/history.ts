/** The turns of a socket, within its bounds. */
import type { LlmSocket } from '../llm/types.ts'

/** A content of a conversation as Gemini has it, and the duration of the audio in it. */
export interface Turn {
  content: object
  audioMs: number
}

interface Stored extends Turn {
  bytes: number
}

/** Memory of a turn in addition to its JSON. */
const OVERHEAD = 300

export class History {
  readonly #socket: Pick<LlmSocket, 'keep' | 'maxItems'>
  readonly #turns: Stored[] = []

  constructor(socket: Pick<LlmSocket, 'keep' | 'maxItems'>) {
    this.#socket = socket
  }

  get turns(): Turn[] {
    return this.#turns.map(({ content, audioMs }) => ({ content, audioMs }))
  }

  /** Adds a turn; the oldest ones go. False: it is larger than all that a socket may keep. */
  add(turn: Turn): boolean {
    const bytes = OVERHEAD + 2 * JSON.stringify(turn).length
    while (this.#turns.length >= this.#socket.maxItems) this.#dropOldest()
    while (!this.#socket.keep(bytes)) if (!this.#dropOldest()) return false
    this.#turns.push({ ...turn, bytes })
    return true
  }

  #dropOldest(): boolean {
    const oldest = this.#turns.shift()
    if (oldest === undefined) return false
    this.#socket.keep(-oldest.bytes)
    return true
  }
}
