/** What the SDK does not show of stored responses: sessions, providers, resets, and wrong input. */
import t from 'tap'
import { WebSocket } from 'ws'
import { connectJson } from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const ask = async (
  url: string,
  body?: object,
  {
    method = body === undefined ? 'GET' : 'POST',
    headers = {},
  }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; json: Record<string, unknown> }> => {
  const response = await fetch(url, {
    method,
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

t.test('in public mode, responses and conversations belong to their session [LLMN-156]', async t => {
  const { url } = await serveLlm(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  const one = { headers: { 'X-Svc-Session': 'one' } }
  const other = { headers: { 'X-Svc-Session': 'other' } }
  const { id } = (await ask(`${url}/ai/v1/responses`, { input: 'hello' }, one)).json
  t.equal((await ask(`${url}/ai/v1/responses/${String(id)}`, undefined, one)).status, 200)
  t.equal((await ask(`${url}/ai/v1/responses/${String(id)}`, undefined, other)).status, 404)
  const next = { input: 'and?', previous_response_id: id }
  t.match((await ask(`${url}/ai/v1/responses`, next, other)).json, { error: { code: 'previous_response_not_found' } })
  const conversation = (await ask(`${url}/ai/v1/conversations`, {}, one)).json
  t.equal((await ask(`${url}/ai/v1/conversations/${String(conversation.id)}`, undefined, other)).status, 404)
  t.equal((await ask(`${url}/ai/v1/conversations/${String(conversation.id)}`, undefined, one)).status, 200)
})

t.test('each provider has its own responses, and a reset removes those of the session [LLMN-150]', async t => {
  const server = await serveLlm(t, { yaml: 'llm: { providers: [{ name: acme, format: openai }] }' })
  const { url } = server
  const session = { headers: { 'X-Svc-Session': 'one' } }
  const mine = (await ask(`${url}/ai/acme/v1/responses`, { input: 'hello' }, session)).json
  t.equal((await ask(`${url}/ai/acme/v1/responses/${String(mine.id)}`)).status, 200)
  t.equal((await ask(`${url}/ai/openai/v1/responses/${String(mine.id)}`)).status, 404)
  const azure = (await ask(`${url}/ai/azure/openai/v1/responses`, { input: 'hello' })).json
  t.equal((await ask(`${url}/ai/azure/openai/v1/responses/${String(azure.id)}`)).status, 200)
  await fetch(`${url}/_svc/reset`, {
    method: 'POST',
    headers: { 'X-Svc-Session': 'one', 'Content-Type': 'application/json' },
    body: '{"kinds":["llm_state"]}',
  })
  t.equal((await ask(`${url}/ai/acme/v1/responses/${String(mine.id)}`)).status, 404)
  t.equal((await ask(`${url}/ai/azure/openai/v1/responses/${String(azure.id)}`)).status, 200)
})

t.test('wrong input gets 400 [LLMN-150] [LLMN-153]', async t => {
  const { url } = await serveLlm(t)
  const { id } = (await ask(`${url}/ai/v1/responses`, { input: 'hello' })).json
  const conversation = (await ask(`${url}/ai/v1/conversations`, {})).json
  const items = `${url}/ai/v1/conversations/${String(conversation.id)}/items`
  const wrong: [string, object | undefined, string | null][] = [
    [`${url}/ai/v1/responses/${String(id)}/input_items?limit=0`, undefined, 'limit'],
    [`${url}/ai/v1/responses/${String(id)}/input_items?order=up`, undefined, 'order'],
    [`${url}/ai/v1/responses/${String(id)}/input_items?after=x`, undefined, 'after'],
    [`${url}/ai/v1/responses/${String(id)}?stream=true&starting_after=x`, undefined, 'starting_after'],
    [items, { items: [] }, 'items'],
    [items, { items: 7 }, 'items'],
    [items, { items: Array.from({ length: 21 }, () => ({ role: 'user', content: 'x' })) }, 'items'],
    [items, { items: [{ type: 'message' }] }, 'items[0].role'],
    [`${url}/ai/v1/conversations`, { metadata: { a: 7 } }, 'metadata'],
    [`${url}/ai/v1/responses/input_tokens`, {}, 'input'],
  ]
  for (const [target, body, param] of wrong)
    t.match(await ask(target, body), { status: 400, json: { error: { type: 'invalid_request_error', param } } }, target)
  t.match(await ask(`${url}/ai/v1/responses`), { status: 426, json: { error: { type: 'invalid_request_error' } } })
  t.equal((await fetch(`${url}/ai/v1/responses`)).headers.get('upgrade'), 'websocket')
})

t.test('background responses count in the ledger, and a disconnected client changes nothing [LLMN-152]', async t => {
  const { url } = await serveLlm(t)
  const session = { 'X-Svc-Session': 'bill', 'X-Svc-Tokens-Per-Second': '0' }
  const { id } = (await ask(`${url}/ai/v1/responses`, { input: 'hello', background: true }, { headers: session })).json
  const { json } = await ask(`${url}/ai/v1/responses/${String(id)}`)
  t.equal(json.status, 'completed')
  const { output_tokens: tokens } = json.usage as { output_tokens: number }
  const usage = await ask(`${url}/ai/usage?session=bill`)
  t.match(usage.json, { totals: { requests: 1, completion_tokens: tokens } })
  const cut = new AbortController()
  const stream = await fetch(`${url}/ai/v1/responses`, {
    method: 'POST',
    body: JSON.stringify({ input: 'hello', background: true, stream: true }),
    headers: { 'X-Svc-TTFT-Ms': '100', 'X-Svc-Tokens-Per-Second': '1000' },
    signal: cut.signal,
  })
  const first = await stream.body!.getReader().read()
  cut.abort()
  const begun = /"id":"(resp_[0-9a-f]{48})"/.exec(Buffer.from(first.value!).toString())![1]!
  const replay = await fetch(`${url}/ai/v1/responses/${begun}?stream=true`)
  t.match(await replay.text(), /event: response\.completed/)
})

t.test('messages on a socket: mistakes, faults and limits [LLMN-155]', async t => {
  const { url } = await serveLlm(t)
  const target = `${url.replace('http', 'ws')}/ai/v1/responses`
  const connect = async (headers: Record<string, string>) => {
    const socket = new WebSocket(target, { headers })
    const messages: { type: string; stream_id?: string; status?: number; error?: { code: string; message: string } }[] =
      []
    const broken: string[] = []
    let wake = (): void => {}
    socket.on('message', data => {
      const text = (data as Buffer).toString()
      try {
        messages.push(JSON.parse(text))
      } catch {
        broken.push(text)
      }
      wake()
    })
    await new Promise(resolve => socket.once('open', resolve))
    const closed = new Promise<number>(resolve => socket.once('close', resolve))
    const next = async (type: string) => {
      for (;;) {
        const at = messages.findIndex(message => message.type === type)
        if (at >= 0) return messages.splice(0, at + 1).at(-1)!
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    }
    t.teardown(() => socket.terminate())
    return { socket, next, broken, closed }
  }
  const create = JSON.stringify({ type: 'response.create', model: 'svc-echo', input: 'hello' })

  const plain = await connect({ 'X-Svc-Tokens-Per-Second': '0', 'X-Svc-Reply': 'exact' })
  plain.socket.send('no JSON')
  t.match(await plain.next('error'), { status: 400, error: { code: 'invalid_json' } })
  plain.socket.send('{"type":"other"}')
  t.match(await plain.next('error'), {
    error: { code: 'unknown_event', message: "Unknown event type: other. Expected 'response.create'." },
  })
  plain.socket.send('{}')
  t.match(await plain.next('error'), {
    error: { code: 'unknown_event', message: /Missing required parameter: 'type'/ },
  })
  plain.socket.send('{"type":"response.steer","input":"x"}')
  t.match(await plain.next('response.steer.failed'), { error: { code: 'steering_not_supported' } })
  plain.socket.send(create)
  t.match(await plain.next('response.completed'), { response: { output: [{ content: [{ text: 'exact' }] }] } })
  plain.socket.send(Buffer.from([1]))
  t.equal(await plain.closed, 1003)

  const limited = await connect({ 'X-Svc-Tokens-Per-Second': '0', 'X-Svc-Limit-Rpm': '1' })
  limited.socket.send(create)
  await limited.next('response.completed')
  limited.socket.send(create)
  t.match(await limited.next('error'), {
    status: 429,
    error: { code: 'rate_limit_exceeded', headers: { 'retry-after': /^\d+$/ } },
  })

  const failing = await connect({ 'X-Svc-Fail': 'stream_error@1' })
  failing.socket.send(create)
  t.match(await failing.next('error'), { code: 'server_error' })
  const cut = await connect({ 'X-Svc-Fail': 'disconnect@1' })
  cut.socket.send(create)
  t.equal(await cut.closed, 1006)

  const lanes = await connect({ 'X-Svc-TTFT-Ms': '100' })
  for (const stream_id of ['a', 'b']) lanes.socket.send(JSON.stringify({ ...JSON.parse(create), stream_id }))
  t.equal((await lanes.next('response.created')).stream_id, 'a')
  t.equal((await lanes.next('response.created')).stream_id, 'b', 'lanes run side by side')

  const refused = new WebSocket(target, { headers: { 'X-Svc-Require-Auth': 'true' } })
  const status = await new Promise(resolve =>
    refused.once('unexpected-response', (_, response) => resolve(response.statusCode)),
  )
  t.equal(status, 401)
})

t.test('requests that wait on a socket are bounded in bytes [LLMN-155] [LLMN-187]', async t => {
  const { url } = await serveLlm(t)
  const headers = { 'X-Svc-TTFT-Ms': '60000' }
  const { send, next, until } = await connectJson(t, `${url}/ai/v1/responses`, { headers })
  const input = 'x'.repeat(900_000)
  send({ type: 'response.create', model: 'svc-echo', input, stream_id: 'a' })
  t.match(await next('response.created'), { stream_id: 'a' }, 'the first one runs')
  for (let count = 1; count < 5; count++) send({ type: 'response.create', model: 'svc-echo', input, stream_id: 'a' })
  const events = await until(({ type }) => type === 'error')
  t.match(events.at(-1), {
    stream_id: 'a',
    status: 400,
    error: { code: 'websocket_stream_limit_reached', message: /too large/ },
  })
  send({ type: 'response.create', model: 'svc-echo', input: 'small', stream_id: 'b' })
  t.match(await next('response.created'), { stream_id: 'b' })

  const quick = await connectJson(t, `${url}/ai/v1/responses`, { headers: { 'X-Svc-Tokens-Per-Second': '0' } })
  const large = { type: 'response.create', model: 'svc-gpt', input, store: false }
  for (let count = 0; count < 8; count++) {
    quick.send({ ...large, stream_id: `lane ${count}` })
    const { response } = await quick.next('response.completed')
    quick.send({ ...large, input: 'and?', stream_id: `lane ${count}`, previous_response_id: response.id })
    const [answer] = (await quick.until(({ type }) => type === 'error' || type === 'response.completed')).slice(-1)
    t.equal(answer!.type, 'response.completed', 'the latest response of a lane is known')
  }
})

t.test(
  'a response shows all members of its functions, and a compaction needs a model [LLMN-150] [LLMN-154]',
  async t => {
    const { url } = await serveLlm(t)
    const tools = [{ type: 'function', name: 'look_up' }, { type: 'web_search' }]
    t.same((await ask(`${url}/ai/v1/responses`, { input: 'hello', tools })).json.tools, [
      { type: 'function', name: 'look_up', description: null, parameters: null, strict: true },
      { type: 'web_search' },
    ])
    t.match(await ask(`${url}/ai/v1/responses/compact`, { input: 'hello' }), {
      status: 400,
      json: { error: { param: 'model', code: 'missing_required_parameter' } },
    })
  },
)
