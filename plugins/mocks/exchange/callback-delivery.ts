/** Sends the requests of callbacks: to paths of this instance that take deliveries, and to hosts that the operator allows. */
import { MemoryPool, type Svc } from 'svc/plugin'
import { createFetcher, FetchProblem, type Fetcher } from 'svc/toolkit'
import type { CallbackRequest, PlannedCallbacks } from './callbacks.ts'
import type { Variables } from '../variables.ts'

/** The variable that lists the hosts. */
const ALLOW_LIST = 'SVC_MOCKS_CALLBACK_ALLOWLIST'
/** The response arrives first, usually. */
const DELAY_MS = 50
const MAX_RESPONSE_BYTES = 65_536

/** What waits and what is being sent, by all generations of the plugin. */
interface Queue {
  waiting: Waiting[]
  /** Open requests, which the fetcher counts. */
  count: number
  workers: number
  memory: MemoryPool
}

interface Waiting {
  mock: string
  place: string
  ownBase: string
  request: CallbackRequest
  bytes: number
}

/** Memory of a waiting callback besides its body. */
const ENTRY_BYTES = 2048

export class CallbackDelivery {
  readonly #svc: Pick<Svc, 'log'>
  readonly #fetcher: Fetcher
  readonly #queue: Queue
  readonly #maxWaiting: number
  readonly #maxAtOnce: number

  constructor(svc: Svc<unknown, Variables>) {
    const [maxWaiting, maxAtOnce, bytes] = svc.config.publicMode ? [20, 2, 2 << 20] : [100, 8, 16 << 20]
    this.#svc = svc
    this.#maxWaiting = maxWaiting
    this.#maxAtOnce = maxAtOnce
    this.#queue = svc.shared(
      'callbacks',
      (): Queue => ({ waiting: [], count: 0, workers: 0, memory: new MemoryPool(bytes) }),
    )
    const { callbackAllowlist: allow } = svc.variables
    this.#fetcher = createFetcher(svc, { allow, setting: ALLOW_LIST, active: this.#queue, maxAtOnce })
  }

  /** Sends what may be sent, later. Moves the other requests to those that are skipped. `ownBase`: URL of this instance. */
  send(mock: string, planned: PlannedCallbacks, ownBase: string): PlannedCallbacks {
    const result: PlannedCallbacks = { requests: [], skipped: [...planned.skipped] }
    for (const request of planned.requests) {
      const reason = this.#add(mock, request, ownBase)
      if (reason === null) result.requests.push(request)
      else result.skipped.push({ name: request.name, reason })
    }
    return result
  }

  /** Adds a request to the queue; returns why it is not sent, or null. */
  #add(mock: string, request: CallbackRequest, ownBase: string): string | null {
    const { waiting, memory } = this.#queue
    const place = /^\/(?!\/)/.test(request.url) ? request.url : this.#fetcher.placeOf(request.url, ownBase)
    if (place === null) return `${ALLOW_LIST} does not have its host`
    const bytes = ENTRY_BYTES + (request.body?.length ?? 0)
    if (waiting.length >= this.#maxWaiting || !memory.take(bytes)) return 'too many callbacks wait'
    waiting.push({ mock, place, ownBase, request, bytes })
    if (this.#queue.workers < this.#maxAtOnce) {
      this.#queue.workers++
      setTimeout(() => void this.#work(), DELAY_MS).unref()
    }
    return null
  }

  async #work(): Promise<void> {
    const { waiting, memory } = this.#queue
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await this.#deliver(next)
      memory.give(next.bytes)
    }
    this.#queue.workers--
  }

  async #deliver({ mock, place, ownBase, request }: Waiting): Promise<void> {
    const { name, method, headers, body } = request
    try {
      const { status } = await this.#fetcher.send(place, {
        ownBase,
        maxBytes: MAX_RESPONSE_BYTES,
        method,
        headers,
        ...(body !== null && { body }),
      })
      if (status < 300) return
      this.#report(mock, name, `status ${status}`)
    } catch (error) {
      this.#report(mock, name, error instanceof FetchProblem ? error.message : 'it could not be sent')
    }
  }

  #report(mock: string, callback: string, reason: string): void {
    this.#svc.log.warn('a callback of a mock was not delivered', { mock, callback: callback.slice(0, 100), reason })
  }
}
