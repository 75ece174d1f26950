/** The items of a socket, in order and within the bounds of the socket. */
import type { Engine, LlmSocket } from '../llm/types.ts'
import type { RealtimeItem } from './items.ts'

export interface Entry {
  item: RealtimeItem
  /** Duration of the audio of a user. */
  audioMs: number
  /** What the engine understands of it. */
  spokenText: string
}

/** An item of a conversation. */
export interface StoredEntry extends Entry {
  bytes: number
}

/** Memory of an item in addition to its JSON. */
const OVERHEAD = 300
/** Characters may take two bytes. */
export const BYTES_PER_CHARACTER = 2

export class Conversation {
  readonly id: string
  readonly #engine: Engine
  readonly #socket: Pick<LlmSocket, 'keep' | 'maxItems'>
  #entries: StoredEntry[] = []

  constructor(engine: Engine, socket: Pick<LlmSocket, 'keep' | 'maxItems'>) {
    this.#engine = engine
    this.#socket = socket
    this.id = `conv_${engine.randomId(24)}`
  }

  get entries(): readonly StoredEntry[] {
    return this.#entries
  }

  get lastId(): string | null {
    return this.#entries.at(-1)?.item.id ?? null
  }

  find(id: string): StoredEntry | undefined {
    return this.#entries.find(({ item }) => item.id === id)
  }

  /** Adds an item after another one: at the end by default, at the beginning after `root`. Returns the id before it. */
  add(entry: Entry, after?: string): string | null {
    const place =
      after === undefined
        ? this.#entries.length
        : after === 'root'
          ? 0
          : this.#entries.findIndex(({ item }) => item.id === after) + 1
    const previous = this.#entries[place - 1]?.item.id ?? null
    const stored: StoredEntry = { ...entry, bytes: bytesOf(entry) }
    this.#entries.splice(place, 0, stored)
    // The oldest go; the new one is not dropped for others.
    while (this.#entries.length > this.#socket.maxItems) this.#drop(stored)
    while (!this.#socket.keep(stored.bytes)) if (!this.#drop(stored)) return this.#refuse(stored)
    return previous
  }

  /** Replaces an item by its later form. */
  replace(item: RealtimeItem): void {
    const entry = this.#entries.find(candidate => candidate.item.id === item.id)
    if (entry === undefined) return
    entry.item = item
    const bytes = bytesOf(entry)
    while (!this.#socket.keep(bytes - entry.bytes)) if (!this.#drop(entry)) return
    entry.bytes = bytes
  }

  remove(id: string): boolean {
    const place = this.#entries.findIndex(({ item }) => item.id === id)
    if (place < 0) return false
    const [removed] = this.#entries.splice(place, 1)
    this.#socket.keep(-removed!.bytes)
    return true
  }

  #drop(kept: StoredEntry): boolean {
    const oldest = this.#entries.find(entry => entry !== kept)
    return oldest !== undefined && this.remove(oldest.item.id)
  }

  #refuse(entry: StoredEntry): never {
    this.#entries = this.#entries.filter(other => other !== entry)
    throw this.#engine.badInput('The item exceeds what this conversation can hold.', {
      param: 'item',
      code: 'item_too_large',
    })
  }
}

function bytesOf({ item, spokenText }: Entry): number {
  return OVERHEAD + BYTES_PER_CHARACTER * (JSON.stringify(item).length + spokenText.length)
}
