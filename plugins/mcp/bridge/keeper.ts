/** Keeps the connection of a bridged server that all share: starts it, and starts it again when it ends. */
import { Unreachable, type LinkEnd } from './link.ts'
import type { Connection } from './connection.ts'
import type { BridgeState } from '../servers/server-bridge.ts'

export interface KeeperOptions {
  /** Opens a connection, and reads what is known of the server. */
  connect(closed: (end: LinkEnd) => void): Promise<Connection>
  /** Called with each change of the state. */
  changed(state: BridgeState): void
  /** Called before the server is started again. */
  restarting(): void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
/** After this time without an end, the pauses are short again. */
const STABLE_MS = 60_000

export class Keeper {
  readonly #options: KeeperOptions
  #state: BridgeState = 'starting'
  #connection: Connection | null = null
  #startedAt: number | null = null
  #restarts = 0
  #lastExit: { code: number | null; signal: string | null; at: string } | null = null
  #lastError: string | null = null
  #pauseMs = FIRST_PAUSE_MS
  #timer: NodeJS.Timeout | undefined
  /** Distinguishes attempts, so that the end of an old connection has no effect. */
  #attempt = 0
  #isClosed = false
  readonly #firstEnded: Promise<void>
  #endFirst = (): void => {}

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#firstEnded = new Promise(resolve => {
      this.#endFirst = resolve
    })
  }

  get state(): BridgeState {
    return this.#state
  }

  /** Null while the server does not run. */
  get connection(): Connection | null {
    return this.#connection
  }

  get facts() {
    return {
      started_at: this.#startedAt === null ? null : new Date(this.#startedAt).toISOString(),
      restarts: this.#restarts,
      last_exit: this.#lastExit,
      last_error: this.#lastError,
    }
  }

  /** Resolves when the first attempt has ended, whichever way, or the keeper is closed. */
  firstAttempt(): Promise<void> {
    return this.#firstEnded
  }

  /** Connects. Rejects if that fails; `keep` then tries again. */
  async start(): Promise<void> {
    const attempt = ++this.#attempt
    try {
      const connection = await this.#options.connect(end => this.#ended(attempt, end))
      if (attempt !== this.#attempt || connection.isClosed) {
        await connection.close()
        throw new Error(this.#lastError ?? 'the server has ended')
      }
      this.#connection = connection
      this.#startedAt = Date.now()
      this.#lastError = null
      this.#become('up')
    } catch (error) {
      if (attempt === this.#attempt) this.#lastError = error instanceof Error ? error.message : String(error)
      throw error
    } finally {
      this.#endFirst()
    }
  }

  /** Connects, and connects again until it is closed. */
  keep(): void {
    const attempt = this.#attempt + 1
    this.start().catch((error: unknown) => {
      if (attempt !== this.#attempt) return
      this.#become(error instanceof Unreachable ? 'down' : 'restarting')
      this.#later()
    })
  }

  /** Ends the connection and starts it again at once. */
  async restart(): Promise<void> {
    clearTimeout(this.#timer)
    this.#attempt++
    const connection = this.#connection
    this.#connection = null
    this.#pauseMs = FIRST_PAUSE_MS
    this.#become('restarting')
    await connection?.close()
    if (!this.#isClosed) this.#again()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#attempt++
    clearTimeout(this.#timer)
    this.#endFirst()
    const connection = this.#connection
    this.#connection = null
    await connection?.close()
  }

  #ended(attempt: number, { reason, code = null, signal = null }: LinkEnd): void {
    if (attempt !== this.#attempt) return
    this.#lastError = reason
    this.#lastExit = { code, signal, at: new Date().toISOString() }
    // Otherwise the attempt fails, which is handled there.
    if (this.#connection === null) return
    const lived = this.#startedAt === null ? 0 : Date.now() - this.#startedAt
    if (lived >= STABLE_MS) this.#pauseMs = FIRST_PAUSE_MS
    const connection = this.#connection
    this.#connection = null
    this.#become('restarting')
    void connection.close()
    this.#later()
  }

  #later(): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#again(), this.#pauseMs).unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }

  #again(): void {
    this.#restarts++
    this.#options.restarting()
    this.keep()
  }

  #become(state: BridgeState): void {
    if (this.#isClosed) return
    this.#state = state
    this.#options.changed(state)
  }
}
