/** The results of a batch while its items run: lines of files, counted before they are kept. */
import { type JsonObject, type OutputBudget } from 'svc/plugin'
import { jsonChunks } from 'svc/toolkit'
import { digest, generator } from '../engine/seed.ts'

/** The reply to an item, as it would be over HTTP; or why there is none. */
export type ItemResult =
  | { kind: 'done'; index: number; status: number; requestId: string; body: object }
  | { kind: 'failed'; index: number }
  | { kind: 'cancelled'; index: number }
  | { kind: 'expired'; index: number }
  /** The results would have more bytes than this. It was not run, or its reply is not kept. */
  | { kind: 'too_large'; index: number; limit: number }

/** A line of a file of results. */
export interface ResultLine {
  /** What the format calls the file. */
  file: string
  value: object
  /** Called if the line is kept. */
  kept?(): void
}

/** How a format keeps results. */
export interface ResultFormat {
  /** The most bytes that the files together may have; default: as many as a document and an answer. */
  maxBytes?: number
  /** The line for a result; null: none. It is called again with `too_large` if the line does not fit. */
  lineOf(result: ItemResult): ResultLine | null
  /** Stores the files, each in parts with line ends, and returns what is kept in the batch. */
  finish(files: ReadonlyMap<string, readonly Buffer[]>): Promise<JsonObject>
}

/** Why an item has no result, to be shown to the client. */
export function tooLargeMessage(limit: number): string {
  return `The results of the batch would have more than ${limit} bytes (SVC_BUDGET_OUTPUT_BYTES).`
}

/** Left for the line of each item that follows, so that it can say why it has no result. */
const RESERVED = 400

interface KeptLine {
  file: string
  parts: Buffer[]
}

export class BatchResults {
  readonly limit: number
  readonly #format: ResultFormat
  readonly #output: OutputBudget
  readonly #lines: (KeptLine | null)[] = []
  #bytes = 0
  #isFull = false

  /** `limit`: the most bytes of all lines. They are taken from `output`. */
  constructor(format: ResultFormat, output: OutputBudget, limit: number) {
    this.#format = format
    this.#output = output
    this.limit = limit
  }

  /** A line did not fit: the items that follow need not run. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** `left`: the number of items that follow. Throws `OutputUnavailable`. */
  add(result: ItemResult, left: number): void {
    const reserved = Math.min(RESERVED * left, this.limit / 2)
    const line = this.#format.lineOf(result)
    const kept = line && this.#keep(line, this.limit - reserved)
    if (line === null || kept !== null) return void this.#lines.push(kept)
    this.#isFull = true
    const instead = this.#format.lineOf({ kind: 'too_large', index: result.index, limit: this.limit })
    this.#lines.push(instead && this.#keep(instead, this.limit))
  }

  /** The files, in the order of the items or in another one, which follows from `seed`. */
  files(seed: string | null): ReadonlyMap<string, readonly Buffer[]> {
    const files = new Map<string, Buffer[]>()
    for (const line of seed === null ? this.#lines : shuffled(this.#lines, seed)) {
      if (line === null) continue
      const parts = files.get(line.file)
      if (parts === undefined) files.set(line.file, [...line.parts])
      else for (const part of line.parts) parts.push(part)
    }
    return files
  }

  /** Null if the line does not fit; nothing is kept of it. */
  #keep({ file, value, kept }: ResultLine, limit: number): KeptLine | null {
    const parts: Buffer[] = []
    let bytes = 1
    for (const chunk of jsonChunks(value)) {
      const part = Buffer.from(chunk)
      bytes += part.length
      if (this.#bytes + bytes > limit) return null
      parts.push(part)
    }
    parts.push(LINE_END)
    this.#output.take(bytes)
    this.#bytes += bytes
    kept?.()
    return { file, parts }
  }
}

const LINE_END = Buffer.from('\n')

function shuffled<T>(items: readonly T[], seed: string): T[] {
  const next = generator(digest('batch order', seed))
  return items
    .map(item => ({ item, place: next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
