/**
 * The connection to the state store: sends scripts, keeps subscriptions, and reconnects. An operation fails at once while
 * the store is unavailable, and the first one that takes too long makes it so, so that an outage delays a client only once.
 */
import { StateUnavailable } from '../../core/contract/state.ts'
import type { StoreFacts, StoreObserver, StoreStatus } from '../../core/state/shared-backend.ts'
import { ReplyDeadlines } from './reply-deadlines.ts'
import type { Script } from './script.ts'
import { assertSupported, isServerError, readFacts } from './server-facts.ts'
import type { StoreLink } from './store-link.ts'

/** Time for which the start of the process waits for the store, in milliseconds. */
const START_MS = 10_000
const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 2_000
/** Waiting times differ by this share, so that replicas do not reconnect at the same time. */
const JITTER = 0.2
/** Errors of a server that can't be used now. */
const AWAY_ERRORS = [
  'READONLY',
  'LOADING',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'TRYAGAIN',
  'NOAUTH',
  'WRONGPASS',
  'UNKILLABLE',
  'BUSY',
]

export interface StoreConnectionOptions {
  createLink(): StoreLink
  /** Time limit of an operation in milliseconds. */
  timeoutMs: number
  /** Scripts that the server gets before the first operation. */
  scripts: readonly Script[]
  observer?: StoreObserver
  /** Called when the store can be used, before the first operation; an error counts as a loss. */
  onConnect(facts: StoreFacts): Promise<void>
  /** Called when the store was lost or can't be reached, with the reason, once until it is back. */
  onAway(reason: string): void
  /** Called when the store can be used again. */
  onUp(facts: StoreFacts, awayMs: number): void
}

interface Subscription {
  readonly listeners: Set<SubscriptionListener>
  /** Resolves when the server has confirmed it; never rejects. */
  ready: Promise<void>
}

export interface SubscriptionListener {
  message(text: string): void
  /** Messages may have been missed. */
  reset(): void
}

export class StoreConnection implements StoreStatus {
  readonly #options: StoreConnectionOptions
  readonly #subscriptions = new Map<string, Subscription>()
  readonly #deadlines: ReplyDeadlines
  #links: { commands: StoreLink; messages: StoreLink } | null = null
  #isUp = false
  #wasUp = false
  #isReported = false
  #awayAt = performance.now()
  #retryMs = FIRST_RETRY_MS
  #retry: NodeJS.Timeout | null = null
  #isClosed = false
  readonly #createdAt = performance.now()
  #waiting: (() => void)[] = []
  facts: StoreFacts | null = null
  /** Duration of the last probe in milliseconds. */
  latencyMs: number | null = null
  /** When the store came up or went away. */
  since = new Date()

  constructor(options: StoreConnectionOptions) {
    this.#options = options
    this.#deadlines = new ReplyDeadlines(options.timeoutMs)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  /** Commands that were sent and are not answered. */
  get pending(): number {
    return this.#deadlines.count
  }

  /** Connects. Resolves when the attempt succeeded or failed; more attempts follow in the background. */
  async open(): Promise<void> {
    if (this.#isClosed) return
    const links = { commands: this.#options.createLink(), messages: this.#options.createLink() }
    this.#links = links
    const lose = (): void => this.#lose(links, 'the connection was lost')
    links.commands.onLoss(lose)
    links.messages.onLoss(lose)
    try {
      await this.#inTime(Promise.all([links.commands.connect(), links.messages.connect()]))
      const facts = await this.#inTime(readFacts(links.commands))
      assertSupported(facts.version)
      for (const { text } of this.#options.scripts)
        await this.#inTime(links.commands.send('', ['SCRIPT', 'LOAD', text])).catch(rethrowTimeout)
      await this.#inTime(
        Promise.all(
          [...this.#subscriptions.keys()].map(channel => links.messages.subscribe(channel, this.#deliver(channel))),
        ),
      )
      if (this.#links !== links) return
      this.facts = facts
      this.#isUp = true
      await this.#options.onConnect(facts)
      if (this.#links !== links) return
      this.#retryMs = FIRST_RETRY_MS
      this.since = new Date()
      this.#isReported = false
      this.#options.onUp(facts, performance.now() - this.#awayAt)
      this.#wasUp = true
      for (const { listeners } of this.#subscriptions.values()) for (const { reset } of listeners) reset()
      for (const resolve of this.#waiting.splice(0)) resolve()
    } catch (error) {
      this.#lose(links, error instanceof Error && error.message !== '' ? error.message : 'it cannot be reached')
    }
  }

  /** Resolves when the store can be used, or ten seconds after the start of the process, and says whether it can. */
  async whenStarted(): Promise<boolean> {
    if (this.#isUp && this.#wasUp) return true
    const waitMs = Math.max(0, this.#createdAt + START_MS - performance.now())
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, waitMs)
      this.#waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    return this.#isUp
  }

  close(): void {
    this.#isClosed = true
    this.#isUp = false
    if (this.#retry !== null) clearTimeout(this.#retry)
    const links = this.#links
    this.#links = null
    links?.commands.destroy()
    links?.messages.destroy()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Runs a script. Rejects with `StateUnavailable`, or with the server's error. */
  async run(name: string, operation: string, script: Script, key: string, args: readonly string[]): Promise<unknown> {
    const { observer } = this.#options
    const startedAt = performance.now()
    try {
      const reply = await this.#evaluate(script, key, args)
      observer?.operation(name, operation, (performance.now() - startedAt) / 1000)
      return reply
    } catch (error) {
      observer?.error(name, operation, error instanceof StateUnavailable ? error.reason : 'refused')
      throw error
    }
  }

  /** Sends a command. Rejects with `StateUnavailable`, or with the server's error. */
  send(key: string, ...command: string[]): Promise<unknown> {
    return this.#send(key, command)
  }

  /** Counts a lost race. */
  countRetry(): void {
    this.#options.observer?.retry()
  }

  /**
   * Subscribes to a channel, now and after each reconnect. `ready` resolves when the server has confirmed it; it never
   * rejects, because `reset` follows when the store is back.
   */
  subscribe(channel: string, listener: SubscriptionListener): { ready: Promise<void>; stop(): void } {
    let subscription = this.#subscriptions.get(channel)
    if (subscription === undefined) {
      subscription = { listeners: new Set(), ready: Promise.resolve() }
      this.#subscriptions.set(channel, subscription)
      const links = this.#links
      if (this.#isUp && links !== null)
        subscription.ready = this.#inTime(links.messages.subscribe(channel, this.#deliver(channel))).then(
          () => {},
          () => this.#lose(links, 'a subscription failed'),
        )
    }
    const { listeners, ready } = subscription
    listeners.add(listener)
    return {
      ready,
      stop: () => {
        if (
          !listeners.delete(listener) ||
          listeners.size > 0 ||
          this.#subscriptions.get(channel)?.listeners !== listeners
        )
          return
        this.#subscriptions.delete(channel)
        if (this.#isUp) this.#links?.messages.unsubscribe(channel).catch(() => {})
      },
    }
  }

  #deliver(channel: string): (text: string) => void {
    return text => {
      for (const { message } of this.#subscriptions.get(channel)?.listeners ?? []) message(text)
    }
  }

  async #evaluate({ sha, text }: Script, key: string, args: readonly string[]): Promise<unknown> {
    try {
      return await this.#send(key, ['EVALSHA', sha, '1', key, ...args])
    } catch (error) {
      if (!isServerError(error, 'NOSCRIPT')) throw error
      return this.#send(key, ['EVAL', text, '1', key, ...args])
    }
  }

  #send(key: string, command: readonly string[]): Promise<unknown> {
    const links = this.#links
    if (!this.#isUp || links === null) return Promise.reject(new StateUnavailable('away'))
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(this.#failureOf(error, links))
      const reply = this.#deadlines.start(() => fail(new StateUnavailable('timeout')))
      links.commands.send(key, command).then(
        value => {
          if (this.#deadlines.end(reply)) resolve(value)
        },
        (error: unknown) => {
          if (this.#deadlines.end(reply)) fail(error)
        },
      )
    })
  }

  /** The error that callers get. */
  #failureOf(error: unknown, links: { commands: StoreLink; messages: StoreLink }): unknown {
    if (error instanceof StateUnavailable) {
      this.#lose(links, 'it did not respond in time')
      return error
    }
    if (this.#links !== links || !this.#isUp) return new StateUnavailable('away')
    if (isServerError(error, 'OOM')) return new StateUnavailable('full')
    if (AWAY_ERRORS.some(code => isServerError(error, code))) {
      this.#lose(links, (error as Error).message)
      return new StateUnavailable('away')
    }
    if (isReply(error)) return error
    this.#lose(links, (error as Error).message)
    return new StateUnavailable('away')
  }

  #lose(links: { commands: StoreLink; messages: StoreLink }, reason: string): void {
    if (this.#links !== links || this.#isClosed) return
    this.#links = null
    if (this.#isUp) this.#awayAt = performance.now()
    this.#isUp = false
    links.commands.destroy()
    links.messages.destroy()
    if (!this.#isReported) {
      this.#isReported = true
      this.since = new Date()
      this.#options.onAway(reason)
    }
    const waitMs = this.#retryMs * (1 - JITTER + 2 * JITTER * Math.random())
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2)
    this.#retry = setTimeout(() => void this.open(), waitMs)
  }

  /** For connecting and subscribing. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const awaited = this.#deadlines.start(() => reject(new StateUnavailable('timeout')))
      work.finally(() => this.#deadlines.end(awaited)).then(resolve, reject)
    })
  }
}

/** Errors of the connection have other names. */
function isReply(error: unknown): boolean {
  return error instanceof Error && /^(?:SimpleError|ErrorReply|BlobError)$/.test(error.constructor.name)
}

function rethrowTimeout(error: unknown): void {
  if (error instanceof StateUnavailable) throw error
}
