/**
 * Event streams that a route writes manually or through a library, without `svc.streams`: the lifetime of the plan, a
 * shutdown and a reload end them too.
 */
import type { RequestContext } from '../request/context.ts'
import { formatComment } from '../response/sse-format.ts'
import { CLOSING_COMMENTS } from './sse.ts'
import type { ForcedEnd, OpenStream, StreamRegistry } from './stream-registry.ts'

/** Registers the response of a request until it ends. `lifetimeMs` counts from now. */
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

  /** The last bytes may not have ended an event, so blank lines are sent before the comment. */
  forceEnd(reason: ForcedEnd): void {
    const { response } = this.#context
    if (response.writableEnded) return
    this.#registry.schedule(this, Infinity)
    const text = CLOSING_COMMENTS[reason]
    response.end(text === null ? '' : `\n\n${formatComment(text)}`)
    response.isDetached = true
    this.#context.abort(reason)
  }

  onDue(): void {
    this.forceEnd('plan')
  }
}
