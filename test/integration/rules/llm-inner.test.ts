/** Rules on what arrives within a request: messages on a socket, and items of a batch. */
import t from 'tap'
import { WebSocket } from 'ws'
import { connectJson } from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t)

async function putRule(name: string, rule: object, session?: string, url = server.url): Promise<void> {
  const response = await fetch(`${url}/_svc/rules/${name}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', ...(session === undefined ? {} : { 'X-Svc-Session': session }) },
    body: JSON.stringify(rule),
  })
  t.ok(response.ok, `${name}: ${await response.text()}`)
}

interface Message {
  type: string
  status?: number
  error?: { message: string }
  response?: { output: { content: { text: string }[] }[] }
}

async function connect(
  session: string,
  headers: Record<string, string> = {},
): Promise<{
  ask(input: string): Promise<Message>
  closed: Promise<number>
}> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ai/v1/responses`, {
    headers: { 'X-Svc-Session': session, 'X-Svc-Tokens-Per-Second': '0', ...headers },
  })
  await new Promise(resolve => socket.once('open', resolve))
  t.teardown(() => socket.terminate())
  return {
    closed: new Promise(resolve => socket.once('close', resolve)),
    ask(input) {
      socket.send(JSON.stringify({ type: 'response.create', model: 'svc-echo', input }))
      return new Promise(resolve =>
        socket.on('message', data => {
          const message = JSON.parse((data as Buffer).toString()) as Message
          if (['response.completed', 'error'].includes(message.type)) resolve(message)
        }),
      )
    },
  }
}

const textOf = ({ response }: Message): string | undefined => response?.output[0]?.content[0]?.text

t.test('messages on a socket get replies, failures, delays and aborted connections [LLMN-202]', async t => {
  const session = 'socket'
  await putRule('reply', { match: { llm: { user: 'refund' } }, then: { reply: { text: 'One moment.' } } }, session)
  await putRule(
    'once',
    { match: { llm: { user: 'busy' } }, times: 1, then: { fail: 429, message: 'too busy' } },
    session,
  )
  await putRule(
    'body',
    { match: { method: 'POST', path: '/ai/v1/responses', json: { '/input': 'late' } }, then: { delay: 50 } },
    session,
  )
  await putRule('gone', { match: { llm: { user: 'gone' } }, then: { abort: 'reset' } }, session)
  await putRule('never', { match: { llm: { user: 'other' } }, then: { respond: { status: 418 } } }, session)
  const socket = await connect(session)
  t.equal(textOf(await socket.ask('refund')), 'One moment.')
  t.equal(textOf(await socket.ask('hello')), 'user: hello')
  t.match(await socket.ask('busy'), { type: 'error', status: 429, error: { message: 'too busy' } })
  t.equal(textOf(await socket.ask('busy')), 'user: busy', 'the rule is used up')
  const begun = Date.now()
  t.equal(textOf(await socket.ask('late')), 'user: late')
  t.ok(Date.now() - begun >= 50, 'delayed')
  t.equal(textOf(await socket.ask('other')), 'user: other', 'a message has no response')
  void socket.ask('gone')
  t.equal(await socket.closed, 1006)
  t.equal(textOf(await (await connect('another')).ask('refund')), 'user: refund', 'rules of the session only')
  const { requests } = (await (await fetch(`${server.url}/ai/requests?session=${session}`)).json()) as {
    requests: { rule: string | null }[]
  }
  t.match(
    requests.map(({ rule }) => rule).filter(rule => rule !== null),
    ['gone', 'body', 'once', 'reply'],
  )
})

t.test('items of a batch get replies and failures of rules [LLMN-202]', async t => {
  const headers = { 'X-Svc-Session': 'batch', 'X-Svc-Batch': '0ms' }
  await putRule('reply', { match: { llm: { user: 'refund' } }, then: { reply: { text: 'One moment.' } } }, 'batch')
  await putRule(
    'fail',
    { match: { path: '/ai/anthropic/v1/messages', llm: { user: 'busy' } }, then: { fail: 529 } },
    'batch',
  )
  const requests = ['refund', 'busy', 'hello'].map(content => ({
    custom_id: content,
    params: { model: 'claude-echo', max_tokens: 20, messages: [{ role: 'user', content }] },
  }))
  const batches = `${server.url}/ai/anthropic/v1/messages/batches`
  const created = await fetch(batches, { method: 'POST', headers, body: JSON.stringify({ requests }) })
  const { id } = (await created.json()) as { id: string }
  const results = await (await fetch(`${batches}/${id}/results`, { headers })).text()
  const lines = results.trim().split('\n')
  t.match(
    lines.map(line => JSON.parse(line) as object),
    [
      { custom_id: 'refund', result: { type: 'succeeded', message: { content: [{ text: 'One moment.' }] } } },
      { custom_id: 'busy', result: { type: 'errored' } },
      { custom_id: 'hello', result: { type: 'succeeded', message: { content: [{ text: 'user: hello' }] } } },
    ],
  )
})

t.test(
  'a message and an item without a required fixture get 404, which names the closest rule [FIXTURE-4]',
  async t => {
    const session = 'strict'
    await putRule('refunds', { match: { llm: { user: 'refund' } }, then: { reply: { text: 'One moment.' } } }, session)
    const message = 'no fixture matches; the closest is refunds, which differs in llm.user'
    const socket = await connect(session, { 'X-Svc-Strict-Fixtures': 'true' })
    t.match(await socket.ask('hello'), { type: 'error', status: 404, error: { message } })
    t.equal(textOf(await socket.ask('refund')), 'One moment.')
    const strict = await serveLlm(t, { yaml: 'llm: { strict_fixtures: true }' })
    const ofItems = { path: '/ai/anthropic/v1/messages', llm: { user: 'refund' } }
    await putRule('items', { match: ofItems, then: { reply: { text: 'One moment.' } } }, undefined, strict.url)
    const batches = `${strict.url}/ai/anthropic/v1/messages/batches`
    const params = { model: 'claude-echo', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] }
    const created = await fetch(batches, {
      method: 'POST',
      headers: { 'X-Svc-Batch': '0ms' },
      body: JSON.stringify({ requests: [{ custom_id: 'one', params }] }),
    })
    const { id } = (await created.json()) as { id: string }
    const { result } = (await (await fetch(`${batches}/${id}/results`)).json()) as { result: object }
    const of = 'no fixture matches; the closest is items, which differs in llm.user'
    t.match(result, { type: 'errored', error: { error: { type: 'not_found_error', message: of } } }, 'not in its path')
  },
)

t.test('responses of a realtime session get replies, failures and aborted connections [LLMN-202]', async t => {
  const session = 'realtime'
  await putRule('reply', { match: { llm: { user: 'refund' } }, then: { reply: { text: 'One moment.' } } }, session)
  const path = '/ai/openai/v1/realtime'
  await putRule('busy', { match: { path, llm: { user: 'busy' } }, then: { fail: 429, message: 'too busy' } }, session)
  await putRule(
    'call',
    { match: { llm: { user: 'call' } }, then: { reply: { tool_calls: [{ name: 'ring', args: { n: 2 } }] } } },
    session,
  )
  await putRule('gone', { match: { llm: { user: 'gone' } }, then: { abort: 'reset' } }, session)
  const { send, next, closed } = await connectJson(t, `${server.url}${path}?model=svc-echo`, {
    headers: { 'X-Svc-Session': session, 'X-Svc-Tokens-Per-Second': '0' },
  })
  const ask = (text: string): void => {
    const content = [{ type: 'input_text', text }]
    send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
    send({ type: 'response.create' })
  }
  ask('refund')
  t.match((await next('response.done')).response.output, [{ content: [{ transcript: 'One moment.' }] }])
  ask('busy')
  t.match((await next('error')).error, { message: 'too busy' })
  ask('call')
  t.match((await next('response.done')).response.output, [
    { type: 'function_call', name: 'ring', arguments: '{"n":2}' },
  ])
  ask('gone')
  t.match(await closed, { code: 1006 })
})

t.test('turns of a live session get replies and failures [LLMN-202]', async t => {
  const session = 'live'
  await putRule('reply', { match: { llm: { user: 'refund' } }, then: { reply: { text: 'One moment.' } } }, session)
  await putRule('busy', { match: { llm: { user: 'busy' } }, then: { fail: 429, message: 'too busy' } }, session)
  const path = '/ai/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
  const { send, until, closed } = await connectJson(t, `${server.url}${path}?key=demo`, {
    headers: { 'X-Svc-Session': session, 'X-Svc-Tokens-Per-Second': '0' },
  })
  send({ setup: { model: 'models/svc-echo', generationConfig: { responseModalities: ['TEXT'] } } })
  send({ realtimeInput: { text: 'refund' } })
  const events = await until(({ serverContent }) => serverContent?.turnComplete === true)
  t.equal(events.map(({ serverContent }) => serverContent?.modelTurn?.parts[0].text ?? '').join(''), 'One moment.')
  send({ realtimeInput: { text: 'busy' } })
  t.match(await closed, { code: 1011, reason: 'too busy' })
})
