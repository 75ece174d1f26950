/**
 * The memory of A2A tasks and sinks filled with the worst input from clients. Runs alone: it measures the heap.
 * Takes long: it fills stores.
 */
import t from 'tap'
import { HEAP_FACTOR, heapGrowth } from '../../support/store-memory.ts'
import { serve } from '../../support/server.ts'

/** The limits of public mode, which are reached with fewer requests. */
const TASK_BOUND = 16 << 20
const SINK_BOUND = 8 << 20
const AT_ONCE = 10

// One server for all tests, because the remaining memory of stopped servers would distort the measurements. The copies of
// strict stores would too: production does not make them.
const { url } = await serve(t, {
  env: { SVC_PUBLIC_MODE: 'true', SVC_INSPECTOR_CAPACITY: '1' },
  strictState: false,
  oneProcess: 'it measures the memory of the process',
})

async function ask(path: string, body: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url + path, { method: 'POST', headers, body })
  const answer = await response.text()
  if (response.status !== 200 || answer.includes('"error"'))
    throw new Error(`${path}: ${response.status} ${answer.slice(0, 300)}`)
}

interface Sent {
  agent?: string
  data?: unknown
  text?: string
  metadata?: unknown
  push?: unknown
  immediately?: boolean
}

const json = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' }

/** As text, to keep the cost of sending low. */
function send({ text = 'hi', data, metadata, push, immediately = true }: Sent): string {
  const parts = [data === undefined ? { text } : { data }]
  const configuration = {
    returnImmediately: immediately,
    ...(push === undefined ? {} : { taskPushNotificationConfig: push }),
  }
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: { messageId: 'm', role: 'ROLE_USER', parts }, configuration, metadata },
  })
}

const list = (count: number, item: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => item(index))
const deep = (levels: number): unknown => (levels === 0 ? [] : [deep(levels - 1)])
const name = (index: number) => ((index * 7919) % 1_000_003).toString(36)

const tasks: [name: string, requests: number, sent: (index: number) => Sent][] = [
  ['tiny ones', 2000, () => ({})],
  [
    'tiny ones in sessions of their own, with push configs',
    2000,
    index => ({ push: { url: `/a2a/webhook-sink/${index % 2}` } }),
  ],
  ['objects whose keys are numbers', 30, () => ({ data: list(10_000, () => ({ 30: 0 })) })],
  ['empty arrays', 40, () => ({ data: list(30_000, () => []) })],
  ['deep arrays', 30, () => ({ data: list(500, () => deep(90)) })],
  ['objects of a shape each', 30, number => ({ data: list(10_000, index => ({ [`${name(index)}${number}`]: 0 })) })],
  ['numbers with fractions', 40, () => ({ data: list(50_000, () => 1.5).concat('') })],
  ['text of two bytes a character', 40, () => ({ text: '語'.repeat(300_000) })],
  ['a word of a long text', 40, index => ({ agent: 'weather', text: `${index} in ${'a'.repeat(900_000)}` })],
  [
    'metadata that agents at work hold',
    40,
    () => ({ agent: 'approval', metadata: { stepDelayMs: 5000, list: list(100_000, () => []) } }),
  ],
  [
    'push URLs with a megabyte of spaces',
    40,
    index => ({ push: { url: `/a2a/webhook-sink/${index}${' '.repeat(900_000)}` } }),
  ],
]

await ask('/a2a/echo', send({ immediately: false }), json)
await ask('/a2a/webhook-sink/warm', '{}')

let heldByTasks = 0
for (const [name, requests, sent] of tasks)
  t.test(`tasks and their updates stay within their memory limit: ${name} [HARD-12]`, async t => {
    const bodies = list(AT_ONCE, index => send(sent(index))) as string[]
    const { agent = 'echo' } = sent(0)
    heldByTasks += await heapGrowth(() =>
      all(requests, index =>
        ask(`/a2a/${agent}`, bodies[index % AT_ONCE]!, { ...json, 'X-Svc-Session': `s-${index}` }),
      ),
    )
    t.ok(heldByTasks <= HEAP_FACTOR * TASK_BOUND, `${Math.round(heldByTasks / 2 ** 20)} MiB`)
  })

const sinks: [name: string, requests: number, sinks: number, body: (index: number) => string, query?: string][] = [
  ['tiny ones', 1000, 100, () => '1'],
  ['objects whose keys are numbers', 200, 20, () => JSON.stringify(list(7000, () => ({ 30: 0 })))],
  ['deep arrays', 200, 20, () => JSON.stringify(list(300, () => deep(90)))],
  ['text of two bytes a character', 300, 20, () => `"${'語'.repeat(20_000)}"`],
  ['text that is not JSON', 100, 20, () => '\0'.repeat(60_000)],
  ['long queries', 100, 100, () => '1', 'q'.repeat(60_000)],
]

let heldBySinks = 0
for (const [name, requests, count, body, query = ''] of sinks)
  t.test(`sinks stay within their memory limit: ${name} [HARD-12]`, async t => {
    const bodies = list(AT_ONCE, body) as string[]
    heldBySinks += await heapGrowth(() =>
      all(requests, index =>
        ask(`/a2a/webhook-sink/a-sink-with-a-name-${index % count}?${query}`, bodies[index % AT_ONCE]!),
      ),
    )
    t.ok(heldBySinks <= HEAP_FACTOR * SINK_BOUND, `${Math.round(heldBySinks / 2 ** 20)} MiB`)
  })

async function all(requests: number, send: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < requests; index += AT_ONCE) await Promise.all(list(AT_ONCE, at => send(index + at)))
}
