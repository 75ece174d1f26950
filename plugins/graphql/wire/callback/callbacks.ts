/** Subscriptions whose events are sent to a URL of the client (Apollo's callback protocol 1.0). */
import { GraphQLError, type ExecutionResult } from 'graphql'
import type { FastifyRequest, Svc } from 'svc/plugin'
import { boundedFetch, FetchFailure, sleep } from 'svc/toolkit'
import { callbackCheckFailed, callbackNotAllowed, tooManyCallbacks } from '../../errors.ts'
import type { GraphqlOptions } from '../../options.ts'
import { readCallbackTarget, type CallbackTarget } from './target.ts'

/** Running subscriptions, and how long one runs at most. */
const BOUNDS = { running: 100, lifetimeMs: 3_600_000 }
const TIMEOUT_MS = 5000
const MAX_TRIES = 5
const FIRST_PAUSE_MS = 100
const HEADERS = { 'content-type': 'application/json', 'subscription-protocol': 'callback/1.0' }

/** A subscription that has started, and what ends it. */
export interface CallbackSubscription {
  results: AsyncIterable<ExecutionResult>
  /** `extensions.subscription`. */
  settings: unknown
  /** Events after which it breaks off without its end; null: never. */
  cut: number | null
  /** Ends the operation. */
  end(): void
}

interface Events {
  iterator: AsyncIterator<ExecutionResult>
  cut: number | null
  end(): void
}

export class Callbacks {
  readonly #svc: Svc<GraphqlOptions>
  readonly #bounds: typeof BOUNDS
  readonly #running: { count: number }
  readonly #stop = new AbortController()

  constructor(svc: Svc<GraphqlOptions>, bounds = BOUNDS) {
    this.#svc = svc
    this.#bounds = bounds
    this.#running = svc.shared('callbacks', () => ({ count: 0 }))
    svc.whenClosed(() => this.#stop.abort())
  }

  /** Asks the URL whether it takes the subscription, and then sends the events. Throws a GraphQLError with a status. */
  async start(request: FastifyRequest, subscription: CallbackSubscription): Promise<void> {
    const iterator = subscription.results[Symbol.asyncIterator]()
    const events: Events = {
      iterator,
      cut: subscription.cut,
      end() {
        void iterator.return?.()
        subscription.end()
      },
    }
    try {
      const target = this.#targetOf(request, subscription.settings)
      if (this.#running.count >= this.#bounds.running) throw tooManyCallbacks()
      this.#running.count++
      try {
        if ((await this.#send(target, { action: 'check' })) !== 204) throw callbackCheckFailed()
      } catch (error) {
        this.#running.count--
        throw error instanceof GraphQLError ? error : callbackCheckFailed()
      }
      void this.#deliver(target, events)
    } catch (error) {
      events.end()
      throw error
    }
  }

  #targetOf(request: FastifyRequest, settings: unknown): CallbackTarget {
    const { config, http } = this.#svc
    if (config.publicMode) throw callbackNotAllowed()
    const hosts = this.#svc.use('core.notify-hosts')
    const peer = request.raw.socket.remoteAddress
    const clients = [http.clientIp(request), ...(peer === undefined ? [] : [peer])]
    return readCallbackTarget(settings, { clients, allows: url => hosts.allows(url) })
  }

  /** Each event after the one before was taken. */
  async #deliver(target: CallbackTarget, { iterator, cut, end }: Events): Promise<void> {
    const ended = new AbortController()
    const stop = (): void => {
      ended.abort()
      end()
    }
    this.#stop.signal.addEventListener('abort', stop)
    const lifetime = setTimeout(stop, this.#bounds.lifetimeMs)
    lifetime.unref()
    const beats = this.#beat(target, ended.signal).then(isTaken => (isTaken ? undefined : stop()))
    try {
      if (cut === 0) return
      let sent = 0
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
        const payload = next.value
        if (ended.signal.aborted || !(await this.#sendEvent(target, { action: 'next', payload }, ended.signal))) return
        if (++sent === cut) return
      }
      if (!ended.signal.aborted) await this.#sendEvent(target, { action: 'complete' }, ended.signal)
    } catch (error) {
      if (!ended.signal.aborted) this.#svc.log.error('a callback subscription failed', { error: String(error) })
    } finally {
      clearTimeout(lifetime)
      this.#stop.signal.removeEventListener('abort', stop)
      stop()
      await beats
      this.#running.count--
    }
  }

  /** Resolves false when the client does not take the subscription any more, true when it has ended. */
  async #beat(target: CallbackTarget, signal: AbortSignal): Promise<boolean> {
    if (target.heartbeatMs === 0) return true
    while (await sleep(target.heartbeatMs, { signal, isBackground: true }))
      if (!(await this.#sendEvent(target, { action: 'check' }, signal))) return false
    return true
  }

  /** Tries again after an error of the server. False: the client refuses it, or does not answer. */
  async #sendEvent(target: CallbackTarget, message: object, signal: AbortSignal): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const status = await this.#send(target, message, signal).catch((error: unknown) => {
        if (!(error instanceof FetchFailure)) throw error
        return 503
      })
      if (status < 400) return true
      if (status < 500 || tries === MAX_TRIES || signal.aborted) return false
      await sleep(FIRST_PAUSE_MS * 2 ** (tries - 1), { signal })
    }
  }

  async #send({ url, id, verifier }: CallbackTarget, message: object, signal = this.#stop.signal): Promise<number> {
    const body = JSON.stringify({ kind: 'subscription', ...message, id, verifier })
    const request = { method: 'POST', headers: HEADERS, body, timeoutMs: TIMEOUT_MS, maxBytes: null, signal }
    return (await boundedFetch(url, request)).status
  }
}
