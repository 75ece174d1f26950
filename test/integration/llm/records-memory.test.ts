/**
 * Memory of the mock LLM's records with the largest requests that clients can send. Runs alone: it measures the heap.
 * Takes long: it fills stores.
 */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import { HEAP_FACTOR, heapGrowth } from '../../support/store-memory.ts'

const BOUND = 64 << 20
const AT_ONCE = 10

// One server for all: what the store holds is what all growth adds up to, and what an ended server leaves would blur it.
const server = await serveLlm(t, { env: { SVC_INSPECTOR_CAPACITY: '1' } })

async function ask(path: string, body: string, headers?: Record<string, string>): Promise<void> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  })
  const answer = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${answer.slice(0, 300)}`)
}

const chat = (content: string, more: object = {}) =>
  JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }], ...more })
const PATH = '/ai/openai/v1/chat/completions'

const worst: [name: string, requests: number, send: (index: number) => Promise<void>][] = [
  ['prompts of a megabyte, which are truncated', 120, index => ask(PATH, chat(`${index} ${'lorem '.repeat(170_000)}`))],
  [
    'echoed replies, which are cut to 500 characters',
    120,
    index => ask(PATH, chat(`${index}${'x'.repeat(1_000_000)}`, { max_tokens: 1 }), { 'X-Svc-Mode': 'echo' }),
  ],
  ['text of two bytes a character', 600, index => ask(PATH, chat(`${index}${'語'.repeat(20_000)}`))],
  [
    'headers and credentials of 60,000 bytes',
    1000,
    index =>
      ask(PATH, chat('hello'), {
        Authorization: `Bearer ${'k'.repeat(15_000)}`,
        Cookie: 'c'.repeat(15_000),
        'X-Own': `${index}${'h'.repeat(30_000)}`,
      }),
  ],
  [
    'many small headers and long models',
    1000,
    index =>
      ask(
        PATH,
        chat('hello', { model: `${index}${'m'.repeat(30_000)}` }),
        Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`x-${index % 10}-${at}`, 'v'])),
      ),
  ],
  ['long queries', 1000, index => ask(`${PATH}?x=${index}${'q'.repeat(50_000)}`, chat('hello'))],
]

await ask(PATH, chat('hello'))

let held = 0
for (const [name, requests, send] of worst)
  t.test(`records stay within their memory limit: ${name} [HARD-12]`, async t => {
    held += await heapGrowth(async () => {
      for (let index = 0; index < requests; index += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => send(index + at)))
    })
    t.ok(held <= HEAP_FACTOR * BOUND, `${Math.round(held / 2 ** 20)} MiB`)
  })
