/**
 * Event streams that a route writes by hand or through a library, past `svc.streams`: the plan's lifetime, a stop and a
 * reload end them too.
 */
import type { RequestContext } from '../request/context.ts'
import { formatComment } from './sse-format.ts'
import { LAST_WORDS } from './sse.ts'
import type { ForcedEnd, OpenStream, StreamRegistry } from './stream-registry.ts'

/** Takes the response of a request into the registry until it is over. `lifetimeMs` counts from now. */
export function adoptEventStream(context: RequestContext, registry: StreamRegistry, lifetimeMs: number): void {
  const stream = new RawStream(context, registry)
  registry.add(stream)
  registry.schedule(stream, registry.now() + lifetimeMs)
  context.whenClosed(() => registry.remove(stream))
}

class RawStream implements OpenStream {
  readonly kind = 'sse'
  readonly generation: number
  readonly isEndless = false
  dueAt = Infinity
  place = -1
  link: OpenStream['link'] = null
  readonly #context: RequestContext
  readonly #registry: StreamRegistry

  constructor(context: RequestContext, registry: StreamRegistry) {
    this.#context = context
    this.#registry = registry
    this.generation = context.generation.number
  }

  /** Nobody knows whether the last bytes ended an event, so blank lines go before the comment. */
  forceEnd(reason: ForcedEnd): void {
    const { response } = this.#context
    if (response.writableEnded) return
    this.#registry.schedule(this, Infinity)
    const text = LAST_WORDS[reason]
    response.end(text === null ? '' : `\n\n${formatComment(text)}`)
    response.isDetached = true
    this.#context.abort(reason)
  }

  onDue(): void {
    this.forceEnd('plan')
  }
}
