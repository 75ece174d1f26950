/** How long a response locks its conversation. */
import t from 'tap'
import { connectJson } from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'
import { postJson } from '../../support/post-json.ts'

const FAST = { 'X-Svc-Tokens-Per-Second': '0' }

t.test('a conversation is free again as soon as its response has ended [LLMN-153]', async t => {
  const { url } = await serveLlm(t)
  const responses = `${url}/ai/v1/responses`
  const { id: conversation } = (await postJson(`${url}/ai/v1/conversations`, {})).json
  const slow = { 'X-Svc-Tokens-Per-Second': '4' }
  const ask = { model: 'svc-echo', input: 'x', conversation, stream: true }
  const stream = await fetch(responses, { method: 'POST', body: JSON.stringify(ask), headers: slow })
  t.match(await stream.text(), /response\.completed/)
  t.equal((await postJson(responses, { input: 'x', conversation }, FAST)).status, 200, 'after the last event')

  const longer = { ...FAST, 'X-Svc-TTFT-Ms': '25000' }
  const leave = new AbortController()
  const left = await fetch(responses, {
    method: 'POST',
    body: JSON.stringify(ask),
    headers: longer,
    signal: leave.signal,
  })
  await left.body!.getReader().read()
  t.equal((await postJson(responses, { input: 'x', conversation }, FAST)).status, 409)
  leave.abort()
  let last = 409
  while (last === 409) last = (await postJson(responses, { input: 'x', conversation }, FAST)).status
  t.equal(last, 200, 'after its client has left')

  for (const [method, path] of [
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const) {
    const open = (await postJson(responses, { input: 'x', conversation, background: true }, longer)).json
    t.equal((await postJson(responses, { input: 'x', conversation }, FAST)).status, 409)
    t.equal((await fetch(`${responses}/${String(open.id)}${path}`, { method })).status, 200)
    t.equal((await postJson(responses, { input: 'x', conversation }, FAST)).status, 200, method)
  }
})

t.test('responses on a socket free their conversation although they are faster than planned [LLMN-155]', async t => {
  const { url } = await serveLlm(t)
  const { id: conversation } = (await postJson(`${url}/ai/v1/conversations`, {})).json
  const headers = { 'X-Svc-Tokens-Per-Second': '10', 'X-Svc-Jitter': '100' }
  const socket = await connectJson(t, `${url}/ai/v1/responses`, { headers })
  for (const input of ['one', 'two', 'three', 'four']) {
    socket.send({ type: 'response.create', model: 'svc-gpt', max_output_tokens: 3, input, conversation })
    const ends = await socket.until(({ type }) => type === 'response.incomplete' || type === 'error')
    t.equal(ends.at(-1)?.type, 'response.incomplete', input)
  }
})
