/** How long a response locks its conversation. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'

interface Answer {
  status: number
  json: Record<string, unknown>
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

const FAST = { 'X-Svc-Tokens-Per-Second': '0' }

t.test('a conversation is free again as soon as its response has ended [LLMN-153]', async t => {
  const { url } = await serveLlm(t)
  const responses = `${url}/ai/v1/responses`
  const { id: conversation } = (await post(`${url}/ai/v1/conversations`, {})).json
  const slow = { 'X-Svc-Tokens-Per-Second': '4' }
  const ask = { model: 'svc-echo', input: 'x', conversation, stream: true }
  const stream = await fetch(responses, { method: 'POST', body: JSON.stringify(ask), headers: slow })
  t.match(await stream.text(), /response\.completed/)
  t.equal((await post(responses, { input: 'x', conversation }, FAST)).status, 200, 'after the last event')

  const longer = { ...FAST, 'X-Svc-TTFT-Ms': '25000' }
  const leave = new AbortController()
  const left = await fetch(responses, {
    method: 'POST',
    body: JSON.stringify(ask),
    headers: longer,
    signal: leave.signal,
  })
  await left.body!.getReader().read()
  t.equal((await post(responses, { input: 'x', conversation }, FAST)).status, 409)
  leave.abort()
  let last = 409
  while (last === 409) last = (await post(responses, { input: 'x', conversation }, FAST)).status
  t.equal(last, 200, 'after its client has left')

  for (const [method, path] of [
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const) {
    const open = (await post(responses, { input: 'x', conversation, background: true }, longer)).json
    t.equal((await post(responses, { input: 'x', conversation }, FAST)).status, 409)
    t.equal((await fetch(`${responses}/${String(open.id)}${path}`, { method })).status, 200)
    t.equal((await post(responses, { input: 'x', conversation }, FAST)).status, 200, method)
  }
})
