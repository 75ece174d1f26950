/** The graceful stop: closes idle connections and endless streams, waits for the rest, then destroys what is still open. */
import { atMost, sleep } from '../toolkit/sleep.ts'
import type { Host } from '../host/host.ts'
import type { StreamRegistry } from '../http/streams/stream-registry.ts'

/** A listener, or several. */
export interface Stoppable {
  /** Stops accepting connections and closes idle ones. */
  stopAccepting(): void
  closeIdle(): void
  readonly openSockets: number
  destroyAll(): void
}

export interface ShutdownTargets {
  listeners: readonly Stoppable[]
  streams: StreamRegistry
  host: Host
  /** Requests that rules still send. */
  notifier: { readonly waiting: number; drop(): void }
}

/** Milliseconds. */
export interface ShutdownTimes {
  drain: number
  /** Time between the end of the drain and the destruction of remaining sockets. */
  cut: number
  /** Time for the callbacks of plugins. */
  closing: number
}
export const SHUTDOWN_TIMES: ShutdownTimes = { drain: 10_000, cut: 500, closing: 2_000 }

/** Interval for checking whether connections are still open. */
const POLL_MS = 20

/** Resolves when everything is closed. When `hurry` resolves, the drain is cut short. */
export async function shutDown(
  { listeners, streams, host, notifier }: ShutdownTargets,
  hurry: Promise<unknown>,
  times: ShutdownTimes = SHUTDOWN_TIMES,
): Promise<void> {
  for (const listener of listeners) listener.stopAccepting()
  streams.endAll({ endless: true, reason: 'stop' })
  const isOpen = (): boolean => listeners.some(listener => listener.openSockets > 0)
  await until(
    () => {
      for (const listener of listeners) listener.closeIdle()
      return !isOpen() && notifier.waiting === 0
    },
    times.drain,
    hurry,
  )
  notifier.drop()
  if (isOpen()) {
    streams.endAll({ reason: 'stop' })
    await until(() => !isOpen(), times.cut, never)
  }
  await atMost(host.stopped(), times.closing)
  for (const listener of listeners) listener.destroyAll()
  await atMost(host.close(), times.closing)
}

const never = new Promise<never>(() => {})

/** Resolves when `isDone` returns true, the time is over, or `hurry` resolves. */
async function until(isDone: () => boolean, ms: number, hurry: Promise<unknown>): Promise<void> {
  let isOver = false
  void Promise.race([sleep(ms, { isBackground: true }), hurry]).then(() => {
    isOver = true
  })
  while (!isDone() && !isOver) await new Promise(resolve => setTimeout(resolve, POLL_MS))
}
