/** Decides which keys are valid: those of a registry that is reloaded at intervals, or every well-formed key. */
import { type KeyRecord, digestOf, isWellFormed, openId } from './api-key.ts'
import { parseRegistry } from './registry-document.ts'
import { isUrl, readRegistry } from './registry-source.ts'

export type KeyProblem = 'unknown' | 'malformed' | 'disabled' | 'expired'
/** The result of a key lookup; `unavailable` means that no registry has been loaded yet. */
export type Identity = { record: KeyRecord } | { problem: KeyProblem } | 'unavailable'

export interface KeyRegistryOptions {
  /** Path or URL; null for the open registry. */
  place: string | null
  token: string | null
  reloadSecs: number
  /** Daily quota of keys that do not set their own. */
  defaultDaily: number | null
  warn(message: string): void
}

/** Maximum number of problems reported; a broken export may contain thousands. */
const MAX_REPORTED_PROBLEMS = 20

export class KeyRegistry {
  readonly kind: 'open' | 'file' | 'url'
  loadedAt: Date | null = null
  /** Why the last reload failed; null if it succeeded. */
  error: string | null = null
  readonly #options: KeyRegistryOptions
  #keys: Map<string, KeyRecord> | null = null
  #text: string | null = null
  #timer: NodeJS.Timeout | null = null
  #reloading: Promise<void> | null = null

  constructor(options: KeyRegistryOptions) {
    this.#options = options
    this.kind = options.place === null ? 'open' : isUrl(options.place) ? 'url' : 'file'
  }

  /** Loads the registry now and then at intervals. */
  async open(): Promise<void> {
    if (this.kind === 'open') return
    this.#timer = setInterval(() => void this.reload(), this.#options.reloadSecs * 1000)
    this.#timer.unref()
    await this.reload()
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  /** The registered keys; empty for the open registry. */
  get records(): KeyRecord[] {
    return this.#keys === null ? [] : [...this.#keys.values()]
  }

  /** Reloads the registry; concurrent calls share one run. If it fails, the previous keys stay valid. */
  reload(): Promise<void> {
    if (this.kind === 'open') return Promise.resolve()
    return (this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = null
    }))
  }

  async #reload(): Promise<void> {
    const { place, token, defaultDaily, warn } = this.#options
    try {
      const text = await readRegistry(place!, token)
      if (text !== this.#text) {
        const { keys, problems } = parseRegistry(text, defaultDaily)
        for (const problem of problems.slice(0, MAX_REPORTED_PROBLEMS))
          warn(`key registry: ${problem}; the entry is ignored`)
        if (problems.length > MAX_REPORTED_PROBLEMS)
          warn(`key registry: ${problems.length - MAX_REPORTED_PROBLEMS} more entries are ignored`)
        this.#keys = keys
        this.#text = text
      }
      this.loadedAt = new Date()
      this.error = null
    } catch (error) {
      const isFirst = this.error === null
      this.error = reasonOf(error)
      if (isFirst)
        warn(
          `cannot read the key registry: ${this.error}; ${this.#keys === null ? 'keys are refused until it is' : 'the last good one stays'}`,
        )
    }
  }

  /** Looks up the holder of a key; `now` in milliseconds since 1970. */
  identify(key: string, now: number): Identity {
    if (this.kind !== 'open' && this.#keys === null) return 'unavailable'
    if (!isWellFormed(key)) return { problem: 'malformed' }
    const digest = digestOf(key)
    if (this.kind === 'open') return { record: this.#openRecord(openId(digest)) }
    const record = this.#keys!.get(digest)
    if (record === undefined) return { problem: 'unknown' }
    if (!record.enabled) return { problem: 'disabled' }
    return record.expiresAt !== null && now >= record.expiresAt ? { problem: 'expired' } : { record }
  }

  #openRecord(id: string): KeyRecord {
    return {
      id,
      name: null,
      dailyRequests: this.#options.defaultDaily,
      rps: null,
      burst: null,
      enabled: true,
      expiresAt: null,
    }
  }
}

/** The first line of an error. Parsers quote their input after it, and that may contain a key. */
function reasonOf(error: unknown): string {
  const { name, code, message } = error as NodeJS.ErrnoException & { code?: string }
  if (name === 'TimeoutError') return 'no response within 10 s'
  if (name === 'SyntaxError' || name === 'YAMLParseError') return 'neither YAML nor JSON'
  return (
    code ?? String(((error as Error).cause as NodeJS.ErrnoException | undefined)?.code ?? message.split('\n', 1)[0])
  )
}
