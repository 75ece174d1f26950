/** Saves the quota counters of the instance to a file, so that they survive a restart. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Counters } from './counters.ts'
import type { LimitClock } from './clock.ts'
import { printSeconds } from './period.ts'

const SAVE_MS = 30_000

export interface UsageFileOptions {
  path: string
  plan: string
  counters: Counters
  clock: LimitClock
  warn(message: string): void
}

export class UsageFile {
  readonly #options: UsageFileOptions
  /** The content of the file, as far as known. */
  #saved = ''
  #timer: NodeJS.Timeout | null = null
  #saving: Promise<void> = Promise.resolve()

  constructor(options: UsageFileOptions) {
    this.#options = options
  }

  /** Restores the counters of the current period from the file, and saves them from now on. */
  async open(): Promise<void> {
    const { counters, clock } = this.#options
    counters.enter(clock.wall())
    const read = await this.#read()
    if (read !== null) {
      counters.requests += read.requests
      counters.egressBytes += read.egressBytes
    }
    this.#saved = this.#state()
    this.#timer = setInterval(() => void this.save(), SAVE_MS)
    this.#timer.unref()
  }

  /** Saves for the last time. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.save()
  }

  /** Rewrites the file if anything has changed. The write is atomic, so a reader or a crash never sees half a file. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save())
    return this.#saving
  }

  async #save(): Promise<void> {
    const { path, plan, counters, clock, warn } = this.#options
    counters.enter(clock.wall())
    const state = this.#state()
    if (state === this.#saved) return
    const { period, requests, egressBytes } = counters
    const record = {
      version: 1,
      plan,
      period: period.kind,
      period_start: printSeconds(period.start),
      requests,
      egress_bytes: egressBytes,
      saved_at: printSeconds(clock.wall()),
    }
    try {
      await writeFile(`${path}.tmp`, `${JSON.stringify(record)}\n`)
      await rename(`${path}.tmp`, path)
      this.#saved = state
    } catch (error) {
      warn(`cannot write the usage file ${path}: ${(error as Error).message}`)
    }
  }

  #state(): string {
    const { period, requests, egressBytes } = this.#options.counters
    return `${period.start} ${requests} ${egressBytes}`
  }

  async #read(): Promise<{ requests: number; egressBytes: number } | null> {
    const { path, counters, warn } = this.#options
    let text: string
    try {
      text = await readFile(path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        warn(`cannot read the usage file ${path}: ${(error as Error).message}; counting from 0`)
      return null
    }
    const record = parseRecord(text)
    if (record === null) {
      warn(`the usage file ${path} is not a valid usage file; counting from 0`)
      return null
    }
    return record.period === counters.period.kind && Date.parse(record.periodStart) === counters.period.start
      ? record
      : null
  }
}

/** Returns null unless the counts are whole numbers from 0 and the period and its start are present. */
function parseRecord(
  text: string,
): { period: string; periodStart: string; requests: number; egressBytes: number } | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { period, period_start: periodStart, requests, egress_bytes: egressBytes } = value as Record<string, unknown>
  if (typeof period !== 'string' || typeof periodStart !== 'string' || Number.isNaN(Date.parse(periodStart)))
    return null
  if (!isCount(requests) || !isCount(egressBytes)) return null
  return { period, periodStart, requests, egressBytes }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
