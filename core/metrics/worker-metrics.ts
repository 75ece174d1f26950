/** `/_svc/metrics` of several workers: the primary process collects the metrics of all and adds them up. */
import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type Registry } from 'prom-client'

/** Time to wait for workers that do not respond, in milliseconds. */
const WAIT_MS = 1_000

type Collected = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What a worker asks, what the primary asks the others, their replies, and the sum. */
type Message =
  | { svcMetrics: 'ask'; id: number }
  | { svcMetrics: 'collect'; id: number }
  | { svcMetrics: 'collected'; id: number; metrics: Collected }
  | { svcMetrics: 'sum'; id: number; text: string }

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'svcMetrics' in message
}

/** In the primary process: answers the workers. */
export function answerMetrics(workers: () => Worker[]): void {
  let asked = 0
  const pending = new Map<number, (metrics: Collected) => void>()
  cluster.on('message', (worker, message: unknown) => {
    if (!isMessage(message)) return
    if (message.svcMetrics === 'collected') pending.get(message.id)?.(message.metrics)
    if (message.svcMetrics === 'ask') void answer(worker, message.id)
  })

  async function answer(worker: Worker, id: number): Promise<void> {
    const own = ++asked
    const asking = workers()
    const collected: Collected[] = []
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, WAIT_MS)
      pending.set(own, metrics => {
        collected.push(metrics)
        if (collected.length < asking.length) return
        clearTimeout(timer)
        resolve()
      })
      for (const one of asking) one.send({ svcMetrics: 'collect', id: own } satisfies Message, ignoreEnded)
    })
    pending.delete(own)
    const text = await AggregatorRegistry.aggregate(collected as never).metrics()
    if (worker.isConnected()) worker.send({ svcMetrics: 'sum', id, text } satisfies Message, ignoreEnded)
  }
}

/** In a worker: returns the text of all workers; null in a process that is not a worker. */
export function openWorkerMetrics(registry: Registry): (() => Promise<string>) | null {
  if (!cluster.isWorker) return null
  let asked = 0
  const waiting = new Map<number, (text: string) => void>()
  process.on('message', (message: unknown) => {
    if (!isMessage(message)) return
    if (message.svcMetrics === 'sum') waiting.get(message.id)?.(message.text)
    if (message.svcMetrics === 'collect') {
      const { id } = message
      void registry
        .getMetricsAsJSON()
        .then(metrics => process.send?.({ svcMetrics: 'collected', id, metrics } satisfies Message, ignoreEnded))
    }
  })
  const collect = async (): Promise<string> => {
    const id = ++asked
    const summed = new Promise<string | null>(resolve => {
      waiting.set(id, resolve)
      setTimeout(() => resolve(null), 2 * WAIT_MS).unref()
    })
    process.send?.({ svcMetrics: 'ask', id } satisfies Message, ignoreEnded)
    const text = await summed
    waiting.delete(id)
    return text ?? registry.metrics()
  }
  return oneAtATime(collect)
}

/**
 * At most one call runs and one waits, whatever the number of callers: each gets the result of a call that began after it
 * asked.
 */
export function oneAtATime<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | null = null
  let next: Promise<T> | null = null
  const start = (): Promise<T> => {
    next = null
    const result = call()
    running = result
    const end = (): void => {
      if (running === result) running = null
    }
    result.then(end, end)
    return result
  }
  return () => {
    if (running === null) return start()
    next ??= running.then(start, start)
    return next
  }
}

/** A process that has just ended gets no message; without a callback, the error would end this process too. */
function ignoreEnded(): void {}
