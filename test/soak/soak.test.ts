/**
 * A long run: every example of the catalog over and over from several clients, streams and sockets held open, and a
 * reload every few seconds, in two halves that are compared. `SVC_SOAK_SECS` says how long, 20 by default; by hand:
 * `SVC_SOAK_SECS=600 npm test -- soak/ --timeout=900`. Runs alone: it measures memory and open handles.
 */
import t from 'tap'
import { EventSource } from 'eventsource'
import { Agent } from 'undici'
import { WebSocket } from 'ws'
import { catalogExamples, statusOfExample } from '../support/catalog.ts'
import { usedBytes } from '../support/heap.ts'
import { serve } from '../support/server.ts'
import { until } from '../support/until.ts'
import { isFitting } from './fitting.ts'
import { Visitors } from './visitors.ts'

const SECONDS = Number(process.env.SVC_SOAK_SECS ?? 20)
// The limit of a file, see `SVC_SOAK_SECS`.
t.setTimeout((SECONDS + 180) * 1000)
const CLIENTS = 8
const RELOAD_MS = 3_000
/** Milliseconds after which a client aborts an example that waits intentionally. */
const PATIENCE_MS = 2_000
/**
 * How much more memory the process may use after the second half than after the first: stores are not yet full after
 * ten seconds.
 */
const GROWTH_BYTES = 14 * 1024 * 1024
/** Generations in memory at the end: the current one, and those not yet collected. */
const MAX_GENERATIONS = 3

/** Active timers, sockets and other handles, by kind. */
function activeResources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

t.test(
  `${SECONDS} s of mixed traffic with reloads: nothing fails, and memory, handles and timers are back where they were [SOAK-1]`,
  { timeout: (SECONDS + 120) * 1000 },
  async t => {
    const server = await serve(t, { env: { SVC_LOG_LEVEL: 'off' } })
    const examples = (await catalogExamples(server.url)).filter(isFitting)
    const problems: string[] = []
    let sent = 0
    const seen = { events: 0, echoes: 0, reloads: 0 }

    const client = async (first: number, isOver: () => boolean): Promise<void> => {
      const dispatcher = new Agent({ connections: 1 })
      for (let index = first; !isOver(); index++) {
        const one = examples[index % examples.length]!
        const what = `${one.example.method} ${one.example.path} (${one.example.name})`
        sent++
        await statusOfExample(server.url, one, PATIENCE_MS, dispatcher)
          .then(status => {
            if (status === 500 && one.example.expect_status !== 500 && one.example.expect_status !== null)
              problems.push(`${what}: 500`)
          })
          .catch((error: Error) => problems.push(`${what}: ${error.message} ${String(error.cause ?? '')}`))
        // Clients and server share one thread here: the builds of the reloads need time too.
        await new Promise(resolve => setTimeout(resolve, 5))
      }
      await dispatcher.destroy()
    }
    const traffic = async (isOver: () => boolean): Promise<void> => {
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number * 37, isOver)))
    }

    /** One half: traffic, reloads, and permanently open connections. */
    const run = async (seconds: number): Promise<void> => {
      const endsAt = performance.now() + seconds * 1000
      const isOver = (): boolean => performance.now() > endsAt
      const before = { ...seen }
      const feed = new EventSource(`${server.url}/sse?count=1000&interval_ms=200`)
      feed.onmessage = () => seen.events++
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`)
      socket.on('message', () => seen.echoes++)
      const greeter = setInterval(() => {
        if (socket.readyState === socket.OPEN) socket.send('hello')
      }, 200)
      const visitors = new Visitors(server, isOver, problem => problems.push(problem))
      const visiting = visitors.run()
      const reloading = (async () => {
        while (!isOver()) {
          await new Promise(resolve => setTimeout(resolve, RELOAD_MS))
          const { load_errors: errors } = await server.host.reload({ force: true })
          if (errors.length > 0) problems.push(`reload: ${JSON.stringify(errors)}`)
          seen.reloads++
        }
      })()
      await traffic(isOver)
      await Promise.all([reloading, visiting])
      clearInterval(greeter)
      feed.close()
      socket.close()
      const reloads = seen.reloads - before.reloads
      for (const [what, count] of Object.entries(visitors.counts))
        t.ok(count > reloads, `${count} ${what} while ${reloads} generations were replaced`)
      t.ok(
        reloads > 0 && seen.events - before.events > reloads && seen.echoes - before.echoes > reloads,
        `${reloads} reloads, and connections that saw all of them`,
      )
    }

    // A first round for what is compiled, cached and opened once.
    await traffic(() => sent >= examples.length)
    await server.reload()
    await new Promise(resolve => setTimeout(resolve, 500))
    const resources = activeResources()
    const isIdle = (): boolean =>
      Object.entries(activeResources()).every(([kind, count]) => count <= (resources[kind] ?? 0))

    await run(SECONDS / 2)
    await until(isIdle, 'handles and timers at their starting level')
    const bytes = usedBytes()
    await run(SECONDS / 2)
    await until(isIdle, 'handles and timers at their starting level')
    // Replaced generations are released when their last stream has ended.
    await until(() => usedBytes() - bytes < GROWTH_BYTES, 'memory is given back').catch(() => {})
    const grown = usedBytes() - bytes
    t.comment(
      `${sent} requests, ${seen.reloads} reloads, ${(grown / 2 ** 20).toFixed(1)} MiB more after the second half than after the first`,
    )
    t.strictSame(problems.slice(0, 5), [])
    await until(() => {
      usedBytes()
      return server.host.generationCounts.inMemory <= MAX_GENERATIONS
    }, 'replaced generations are collected').catch(() => {})
    const generations = server.host.generationCounts
    t.ok(
      generations.open === 1 && generations.inMemory <= MAX_GENERATIONS,
      `${generations.open} generations open, ${generations.inMemory} in memory [SEC-6]`,
    )
    t.ok(grown < GROWTH_BYTES, `${grown} bytes more`)
  },
)
