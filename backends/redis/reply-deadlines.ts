/** Time limits of operations that all may take equally long, with one timer. */
import { LinkedList, type Link } from '../../core/collections/linked-list.ts'

/** A timer that is later than this was delayed by other work of the process. */
const BUSY_MS = 50
/** Additional time for a reply then. */
const BUSY_GRACE_MS = 100

interface Awaited {
  readonly dueAt: number
  readonly onTimeout: () => void
  isOver: boolean
}

export type AwaitedReply = Link<Awaited>

export class ReplyDeadlines {
  readonly #limitMs: number
  /** Ordered by deadline. */
  readonly #awaited = new LinkedList<Awaited>()
  #timer: NodeJS.Timeout | null = null

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  get count(): number {
    return this.#awaited.size
  }

  /** `onTimeout` is called if the reply is not ended in time. */
  start(onTimeout: () => void): AwaitedReply {
    const awaited = this.#awaited.push({ dueAt: performance.now() + this.#limitMs, onTimeout, isOver: false })
    if (this.#timer === null) this.#wait(this.#limitMs)
    return awaited
  }

  /** Returns false if the reply is over already. */
  end(reply: AwaitedReply): boolean {
    if (reply.value.isOver) return false
    reply.value.isOver = true
    this.#awaited.remove(reply)
    return true
  }

  #wait(ms: number): void {
    const dueAt = performance.now() + ms
    // The connection keeps the process running.
    this.#timer = setTimeout(() => {
      const now = performance.now()
      const isDue = this.#awaited.first !== null && this.#awaited.first.value.dueAt <= now
      // This process was busy, so replies may be here already.
      if (isDue && now - dueAt > BUSY_MS) return this.#wait(BUSY_GRACE_MS)
      this.#expire(now)
      this.#timer = null
      if (this.#awaited.first !== null) this.#wait(Math.max(1, this.#awaited.first.value.dueAt - now))
    }, ms).unref()
  }

  #expire(now: number): void {
    for (let { first } = this.#awaited; first !== null && first.value.dueAt <= now; { first } = this.#awaited) {
      this.end(first)
      first.value.onTimeout()
    }
  }
}
