/**
 * Sends the requests of rules (`notify`) after the response: to paths of this instance whose routes take deliveries, and to hosts
 * that `svc.yaml` allows. A request that was sent in this way causes no other one.
 */
import { setMaxListeners } from 'node:events'
import { isOutputError, type OutputBudget, type SvcBudgets } from '../../../contract/budgets.ts'
import type { InProcessCall, InProcessResponse } from '../../../contract/http.ts'
import { decodedPath, isBelow } from '../../../fields/request-target.ts'
import type { Notifications, Notified } from '../../../inspector/captured-request.ts'
import type { Log } from '../../../log/log.ts'
import { drawShare } from '../../../rules/draw.ts'
import { fillNotification, MAX_NOTIFY_DELAY_MS, type FilledNotification } from '../../../rules/notify.ts'
import { boundedFetch, FetchFailure, hostList } from '../../../toolkit/bounded-fetch.ts'
import { httpUrl } from '../../../toolkit/outbound.ts'
import type { LookUp } from '../../../toolkit/references.ts'
import { sleep } from '../../../toolkit/sleep.ts'
import { takesFromNobody } from '../../routes/takes-from-nobody.ts'
import type { TakenRule } from './taking.ts'
import type { RequestContext } from '../../request/context.ts'

/** Marks what a rule has sent. */
const MARK = 'x-svc-notify'
const TIMEOUT_MS = 5000
/** Bytes of a response, which are dropped. */
const MAX_RESPONSE_BYTES = 64 * 1024
/** Texts that references insert into the requests of one hit. */
const MAX_INSERTED_BYTES = 1024 * 1024

export interface NotifierServices {
  call(call: InProcessCall): Promise<InProcessResponse>
  budgets: SvcBudgets
  isPublic: boolean
  /** How many requests wait or are in flight at once. */
  maxWaiting: number
  redactUrl(url: string): string
  log: Log
}

export class Notifier {
  readonly #services: NotifierServices
  readonly #stop = new AbortController()
  #waiting = 0

  constructor(services: NotifierServices) {
    this.#services = services
    // One for each request that waits.
    setMaxListeners(0, this.#stop.signal)
  }

  /** Requests that wait or are in flight. */
  get waiting(): number {
    return this.#waiting
  }

  /** Fills the requests of a hit and sends them after the response; null if there are none. */
  notify({ entry, step, hit }: TakenRule, context: RequestContext, lookUp: LookUp): Notifications | null {
    if (step.notify.length === 0 || context.request.headers[MARK] !== undefined) return null
    const { budgets, redactUrl } = this.#services
    const output = budgets.detachedOutput(MAX_INSERTED_BYTES)
    const ended = new Promise<void>(resolve => {
      if (context.closed) resolve()
      else context.whenClosed(() => resolve())
    })
    const mayReachHosts = !this.#services.isPublic || entry.source !== 'api'
    const list: Notified[] = []
    const sent = step.notify.map((notification, index) => {
      const shown: Notified = { url: notification.url, status: null, error: null }
      list.push(shown)
      const filled = fill(() => fillNotification(notification, lookUp, output))
      if (filled === null) return this.#end(shown, entry.rule.name, 'too_large')
      shown.url = redactUrl(filled.url)
      if (this.#waiting >= this.#services.maxWaiting) return this.#end(shown, entry.rule.name, 'too_many')
      const share = drawShare(`notify ${index}`, entry.rule.seed, entry.rule.name, hit)
      const delayMs = Math.min(notification.delay?.at(share) ?? 0, MAX_NOTIFY_DELAY_MS)
      return this.#send(filled, { shown, context, mayReachHosts, delayMs, ended, rule: entry.rule.name })
    })
    return { list, done: this.#releaseAfter(sent, output) }
  }

  /** Gives up what waits: its requests are not sent. */
  drop(): void {
    if (this.#waiting > 0)
      this.#services.log.warn('requests of rules are dropped, because svc stops', { count: this.#waiting })
    this.#stop.abort()
  }

  async #releaseAfter(sent: readonly (Promise<void> | void)[], output: OutputBudget): Promise<void> {
    await Promise.all(sent)
    output.release()
  }

  #end(shown: Notified, rule: string, error: string | null): void {
    shown.error = error
    const { url, status } = shown
    this.#services.log.info('notification', { rule, url, ...(error === null ? { status } : { error }) })
  }

  async #send(
    filled: FilledNotification,
    {
      shown,
      context,
      mayReachHosts,
      delayMs,
      ended,
      rule,
    }: {
      shown: Notified
      context: RequestContext
      mayReachHosts: boolean
      delayMs: number
      ended: Promise<void>
      rule: string
    },
  ): Promise<void> {
    this.#waiting++
    try {
      await ended
      if (delayMs > 0) await sleep(delayMs, { signal: this.#stop.signal })
      if (this.#stop.signal.aborted) return this.#end(shown, rule, 'dropped')
      shown.status = await this.#deliver(filled, context, mayReachHosts, rule)
      this.#end(shown, rule, null)
    } catch (error) {
      this.#end(shown, rule, this.#stop.signal.aborted ? 'dropped' : reasonOf(error))
    } finally {
      this.#waiting--
    }
  }

  async #deliver(
    { method, url, headers, body }: FilledNotification,
    context: RequestContext,
    mayReachHosts: boolean,
    rule: string,
  ): Promise<number> {
    const fields = { ...joined(headers), [MARK]: rule }
    const { signal } = this.#stop
    if (url.startsWith('/')) return this.#deliverHere({ method, url, headers: fields, body }, context)
    const target = httpUrl(url)
    if (target === null || !mayReachHosts) throw new FetchFailure('not_allowed', 'the host is not allowed')
    const { status } = await boundedFetch(target, {
      method,
      headers: fields,
      ...(body === '' || method === 'GET' || method === 'HEAD' ? {} : { body }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: null,
      signal,
      allows: hostList(context.generation.notifyHosts),
    })
    return status
  }

  /** To a route of this instance, in nobody's name. */
  async #deliverHere({ method, url, headers, body }: DeliveredHere, context: RequestContext): Promise<number> {
    const { pathname, search } = new URL(url, 'http://localhost')
    const decoded = decodedPath(pathname)
    const route =
      decoded === null || isBelow(decoded, '/_svc') ? null : context.generation.routes.find(method, pathname)
    if (route === null || !takesFromNobody(route, method))
      throw new FetchFailure('not_allowed', 'the route takes no deliveries')
    const session = context.session.header
    const { status } = await this.#services.call({
      method,
      path: pathname,
      ...(search === '' ? {} : { query: search.slice(1) }),
      headers: { ...headers, ...(session === null ? {} : { 'x-svc-session': session }) },
      body: Buffer.from(body),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    })
    return status
  }
}

interface DeliveredHere {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

/** Null if the references insert too much. */
function fill(read: () => FilledNotification): FilledNotification | null {
  try {
    return read()
  } catch (error) {
    if (!isOutputError(error)) throw error
    return null
  }
}

function joined(lines: FilledNotification['headers']): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of lines) {
    const lower = name.toLowerCase()
    headers[lower] = headers[lower] === undefined ? value : `${headers[lower]}, ${value}`
  }
  return headers
}

function reasonOf(error: unknown): string {
  if (error instanceof FetchFailure) return error.reason
  return /did not answer within/.test((error as Error).message) ? 'timeout' : 'failed'
}
