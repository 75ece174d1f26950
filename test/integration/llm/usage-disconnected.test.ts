/** What the ledger counts of clients that disconnect before the reply begins. */
import t from 'tap'
import { connect } from 'node:net'
import { serveLlm } from '../../support/llm-formats.ts'
import { until } from '../../support/until.ts'
import { readUsage, usageCalls, type UsageCall } from '../../support/llm-usage.ts'

const yaml = `
llm:
  limits:
    - { provider: pool, tpm: 1000 }
  providers:
    - { name: pool, format: openai, capacity: { slots: 1, queue: 2 }, metrics: vllm, models: [svc-gpt] }
`
const server = await serveLlm(t, { yaml, oneProcess: 'each process has its own slots' })
const PATH = '/ai/pool/v1/chat/completions'
const SLOW = { 'X-Svc-Profile': 'ttft=60000; gap=0' }
const messages = [{ role: 'user', content: 'hello' }]

function chat(headers: Record<string, string>, { signal, ...body }: { signal?: AbortSignal; stream?: boolean } = {}) {
  const init = {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'svc-gpt', messages, max_tokens: 50, ...body }),
  }
  return fetch(server.url + PATH, signal === undefined ? init : { ...init, signal }).catch(() => null)
}

/** Resolves when the provider runs one generation, and this number waits. */
async function untilWaiting(waiting: number): Promise<void> {
  const label = '{model_name="svc-gpt",engine="0"}'
  await until(async () => {
    const text = await (await fetch(`${server.url}/ai/pool/metrics`)).text()
    return text.includes(`running${label} 1\n`) && text.includes(`waiting${label} ${waiting}\n`)
  }, 'the queue')
}

function callOf(id: string): Promise<UsageCall> {
  return until(async () => (await usageCalls(server.url, `?request_id=${id}`))[0], 'the call in the ledger')
}

t.test('what the model has read counts, and nothing of the reply [LLMN-7]', async t => {
  const left = new AbortController()
  const running = chat({ ...SLOW, 'X-Request-Id': 'running' }, { signal: left.signal })
  await untilWaiting(0)
  const impatient = new AbortController()
  const queued = chat({ 'X-Request-Id': 'queued' }, { signal: impatient.signal, stream: true })
  await untilWaiting(1)
  impatient.abort()
  await queued
  t.match(await callOf('queued'), {
    status: 499,
    stream: false,
    cut: null,
    model: 'svc-gpt',
    prompt_tokens: 0,
    completion_tokens: 0,
  })
  left.abort()
  await running
  const call = await callOf('running')
  t.match(call, { status: 499, stream: false, cut: null, prompt_tokens: 4, completion_tokens: 0, ttft_ms: null })
  const record = (await (await fetch(`${server.url}/ai/requests/running`)).json()) as object
  t.match(record, { status: 499, normalized_prompt: 'user: hello' })
  const { buckets } = (await (await fetch(`${server.url}/ai/limits`)).json()) as {
    buckets: { tpm: { remaining: number } }[]
  }
  t.ok(buckets[0]!.tpm.remaining >= 996, 'what was reserved for the reply is returned')
  const metrics = await (await fetch(`${server.url}/ai/pool/metrics`)).text()
  t.match(metrics, /finished_reason="abort"\} 1\n/)
})

t.test('a client that disconnects before the model has read anything is one request [LLMN-7]', async t => {
  const body = JSON.stringify({ model: 'svc-gpt', messages })
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.end(
    `POST ${PATH} HTTP/1.1\r\nHost: svc\r\nX-Request-Id: early\r\nX-Svc-Latency-Ms: 60000\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  )
  t.match(await callOf('early'), { status: 499, model: null, prompt_tokens: 0, completion_tokens: 0 })
  t.match((await readUsage(server.url, '?group=status')).rows, [
    { status: 499, requests: 3, ok: 0, errors: 3, streams: 0 },
  ])
})
