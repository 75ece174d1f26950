/**
 * The console under load: the live traffic is open in Chromium while svc captures a number of requests per second.
 * `node --import tsx test/browser/bench/console.ts [--seconds 30] [--rate 1000] [--browser PATH]` prints the longest tasks of the page and
 * its memory. The filter is typed into and the list is scrolled meanwhile. The processor time of a task does not depend on what
 * else the machine does; its duration does.
 */
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium, type CDPSession, type Page } from 'playwright-core'
import { startProduct } from '../../../bench/product.ts'
import { printTable } from '../../../bench/table.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '1000' },
    browser: { type: 'string', default: '/usr/bin/chromium' },
  },
})
const seconds = Number(values.seconds)
const rate = Number(values.rate)
/** How often the load generator sends what is due. */
const TICK_MS = 10
const PATHS = ['/echo/orders/7?expand=lines', '/status/404', '/uuid', '/anything/payments', '/ai/openai/v1/models']

interface Tasks {
  longTasks: number[]
}

async function openTraffic(page: Page, port: number): Promise<void> {
  await page.addInitScript(() => {
    const found: number[] = []
    Object.assign(globalThis, { longTasks: found })
    new PerformanceObserver(list => found.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    })
  })
  await page.goto(`http://127.0.0.1:${port}/ui/#/traffic`)
  await page.locator('.feed-state', { hasText: 'live' }).waitFor()
  await wait(1000)
  await page.evaluate(() => (globalThis as unknown as Tasks).longTasks.splice(0))
}

/** Sends requests at a steady rate, and resolves with the rate of the responses. */
async function sendSteadily(port: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  const startedAt = performance.now()
  const elapsed = (): number => (performance.now() - startedAt) / 1000
  const pending = new Set<Promise<void>>()
  for (let sent = 0; elapsed() < seconds; await wait(TICK_MS))
    for (; sent < elapsed() * rate; sent++) {
      const response = receive(port, agent, PATHS[sent % PATHS.length]!)
      pending.add(response)
      void response.finally(() => pending.delete(response))
    }
  await Promise.all(pending)
  agent.destroy()
  return (seconds * rate) / elapsed()
}

function receive(port: number, agent: Agent, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, agent, path, headers: { 'X-Forwarded-For': '203.0.113.9' } }, response =>
      response.resume().on('end', resolve),
    )
      .on('error', reject)
      .end()
  })
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Processor time in microseconds. */
  tdur?: number
  args?: { name?: string }
}

/** The most processor time, in milliseconds, that a task of the page's main thread took. */
function longestTask(trace: Buffer): number {
  const { traceEvents: events } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const pages = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const times = events
    .filter(({ name, pid, tid }) => name.endsWith('::RunTask') && pages.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000)
  return times.reduce((longest, time) => Math.max(longest, time), 0)
}

/** MiB of the page's JavaScript heap after a collection. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize / 2 ** 20
}

/** What a person does meanwhile. */
async function use(page: Page): Promise<void> {
  const filter = page.getByRole('searchbox', { name: 'Filter' })
  await filter.fill('status:404')
  await wait(1000)
  await filter.fill('')
  await page.locator('.table-scroll').evaluate(list => list.scrollTo(0, 5000))
  await wait(1000)
  await page.locator('.table-scroll').evaluate(list => list.scrollTo(0, 0))
  await page.locator('.traffic-list tbody tr:not(.spacer)').nth(3).dispatchEvent('click')
  await wait(1000)
  await page.keyboard.press('Escape')
}

const product = await startProduct()
const browser = await chromium.launch({
  executablePath: values.browser,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
})
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await openTraffic(page, product.port)
  const session = await page.context().newCDPSession(page)
  const heaps = [await heapOf(session)]
  await browser.startTracing(page, { categories: ['toplevel'] })
  let isDone = false
  const load = sendSteadily(product.port).finally(() => {
    isDone = true
  })
  while (!isDone) {
    await Promise.race([use(page), load])
    if (!isDone) await wait(1000)
  }
  const sentPerSecond = await load
  const tasks = await page.evaluate(() => (globalThis as unknown as Tasks).longTasks)
  const cpuMs = longestTask(await browser.stopTracing())
  await wait(1000)
  heaps.push(await heapOf(session))
  const rows = await page.getByRole('table', { name: 'Requests' }).getAttribute('aria-rowcount')
  printTable(
    ['requests/s', 'seconds', 'longest task: CPU ms', 'ms', 'tasks over 50 ms', 'heap MiB before', 'after', 'rows'],
    [
      [
        sentPerSecond.toFixed(0),
        seconds,
        cpuMs.toFixed(0),
        tasks.length === 0 ? 'under 50' : Math.max(...tasks).toFixed(0),
        tasks.length,
        heaps[0]!.toFixed(1),
        heaps[1]!.toFixed(1),
        Number(rows) - 1,
      ],
    ],
  )
} finally {
  await browser.close()
  await product.stop()
}
