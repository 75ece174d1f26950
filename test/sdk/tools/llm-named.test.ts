/** Named providers of svc.yaml: a format under another name, with its own models, replies, rules, faults, credentials. */
import t from 'tap'
import OpenAI from 'openai'
import { serveLlm } from '../../support/llm-formats.ts'

const yaml = `
llm:
  providers:
    - name: acme
      format: openai
      title: Acme AI
      models: [acme-small, { id: acme-bot, mode: scripted, owned_by: bots }, { id: acme-echo, mode: canned }]
      reply: "Acme received: {{prompt}} ({{model}})"
      rules:
        - match: { contains: refund, regex: "order \\\\d+", model: "acme-*", system: bank }
          reply: { text: "Refunds take five days, says {{model}}.", finish: length }
        - match: { contains: track }
          reply: { tool: get_order, args: { id: 7 } }
        - match: { contains: [peak, busy] }
          reply: { fail: rate_limit }
        - match: { contains: forbidden }
          reply: { text: "never shown", finish: content_filter }
      latency: { tokens_per_second: 0 }
    - name: strict
      format: anthropic
      models: [only-one]
      strict_models: true
      mode: echo
      require_auth: true
      api_key: strict-demo-key
    - { name: shaky, format: ollama, fail: overloaded }
    - { name: lake, format: bedrock }
    - { name: wrong-format, format: nobody }
    - { name: acme, format: openai }
    - { name: openai, format: openai }
    - { name: v1, format: openai }
    - { name: broken-fail, format: openai, fail: explode }
    - { name: half, format: openai, rules: [{ match: { regex: "(" }, reply: { text: x } }, { match: { contains: x }, reply: { fail: nothing } }, { match: { contains: fine }, reply: { text: "still here" } }] }
`
const server = await serveLlm(t, { yaml })
const client = new OpenAI({ baseURL: `${server.url}/ai/acme/v1`, apiKey: 'k', maxRetries: 0 })
const chat = (content: string, more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  client.chat.completions.create({ model: 'acme-small', messages: [{ role: 'user', content }], ...more })

t.test('it has its own name, reply and models [LLM-32]', async t => {
  const { data, response } = await chat('hi').withResponse()
  t.equal(data.choices[0]?.message.content, 'Acme received: hi (acme-small)')
  t.equal(response.headers.get('x-svc-provider'), 'acme')
  t.same(
    (await client.models.list()).data.map(model => [model.id, model.owned_by]),
    [
      ['acme-small', 'acme'],
      ['acme-bot', 'bots'],
      ['acme-echo', 'acme'],
    ],
  )
  t.equal((await client.models.retrieve('acme-bot')).owned_by, 'bots')
  t.match(
    (await chat('my ssn', { model: 'acme-bot' })).choices[0]?.message.content,
    /^Customer record/,
    'the mode of the model entry',
  )
  t.equal(
    (await chat('else', { model: 'acme-bot' })).choices[0]?.message.content,
    'Acme received: else (acme-bot)',
    'the last line of scripted',
  )
  t.match(
    (await chat('x', { model: 'acme-echo' })).choices[0]?.message.content,
    /^Acme received/,
    'the model entry takes precedence over the name',
  )
  const noModel = await fetch(`${server.url}/ai/acme/v1/chat/completions`, {
    method: 'POST',
    body: '{"messages":[{"role":"user","content":"x"}]}',
  })
  t.equal(noModel.headers.get('x-svc-model'), 'acme-small')
  let streamed = ''
  for await (const chunk of await client.chat.completions.create({
    model: 'acme-small',
    stream: true,
    messages: [{ role: 'user', content: 'hi' }],
  }))
    streamed += chunk.choices[0]?.delta.content ?? ''
  t.equal(streamed, 'Acme received: hi (acme-small)')
})

t.test('rules come first: text, calls, faults and filters [LLM-32]', async t => {
  const refund = await client.chat.completions.create({
    model: 'acme-small',
    messages: [
      { role: 'system', content: 'You are a bank' },
      { role: 'user', content: 'Refund ORDER 12 please' },
    ],
  })
  t.match(refund.choices[0], {
    finish_reason: 'length',
    message: { content: 'Refunds take five days, says acme-small.' },
  })
  t.match((await chat('refund order x')).choices[0]?.message.content, /^Acme received/)
  t.match((await chat('track it')).choices[0]?.message.tool_calls, [
    { function: { name: 'get_order', arguments: '{"id":7}' } },
  ])
  await t.rejects(chat('Busy hours'), { status: 429, code: 'rate_limit_exceeded' })
  t.match((await chat('forbidden')).choices[0], { finish_reason: 'content_filter', message: { content: null } })
  t.match(
    await chat('busy', { model: 'x' })
      .withResponse()
      .catch((error: { headers: Headers }) => error.headers.get('x-svc-fault')),
    'ai',
  )
  t.notMatch(
    (await client.chat.completions.create({ model: 'acme-random', messages: [{ role: 'user', content: 'busy' }] }))
      .choices[0]?.message.content,
    'Acme',
    'not in other modes',
  )
})

t.test('strict models, its own key, a default mode and fault; headers take precedence [LLM-32]', async t => {
  const ask = (name: string, path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/ai/${name}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const message = { max_tokens: 99, messages: [{ role: 'user', content: 'hello' }] }
  const key = { 'x-api-key': 'strict-demo-key', 'anthropic-version': '2023-06-01' }
  t.equal((await ask('strict', '/v1/messages', message)).status, 401)
  t.equal((await ask('strict', '/v1/messages', message, { ...key, 'x-api-key': 'other' })).status, 401)
  t.match(await (await ask('strict', '/v1/messages', message, key)).json(), {
    model: 'only-one',
    content: [{ text: 'user: hello' }],
  })
  t.match(await (await ask('strict', '/v1/messages', message, { ...key, 'X-Svc-Mode': 'canned' })).json(), {
    content: [{ text: /^Hello/ }],
  })
  const unknown = await ask('strict', '/v1/messages', { ...message, model: 'svc-claude' }, key)
  t.equal(unknown.status, 404)
  t.match(await unknown.json(), { error: { type: 'not_found_error', message: 'model: svc-claude' } })
  t.equal((await ask('shaky', '/api/chat', { model: 'x' })).status, 503)
  t.equal(
    (await ask('shaky', '/api/chat', { model: 'x' }, { 'X-Svc-Fail': 'nothing' })).status,
    200,
    'a header, even an ignored one, wins',
  )
  t.equal((await ask('shaky', '/api/chat?fail=404', { model: 'x' })).status, 404)
  t.match(
    await (
      await ask('lake', '/model/a%2Fb/converse', { messages: [{ role: 'user', content: [{ text: 'hello' }] }] })
    ).json(),
    { output: { message: { content: [{ text: /^Hello/ }] } } },
  )
  t.equal((await fetch(`${server.url}/ai/shaky/`, { headers: { 'X-Svc-Fail': 'x' } })).status, 200)
})

t.test('records, index and metrics contain the name [LLM-32]', async t => {
  const { providers } = (await (await fetch(`${server.url}/ai`)).json()) as { providers: { id: string }[] }
  t.same(providers.map(provider => provider.id).slice(7), ['acme', 'strict', 'shaky', 'lake', 'half'])
  t.match(await (await fetch(`${server.url}/ai/acme`)).json(), {
    id: 'acme',
    format: 'openai',
    title: 'Acme AI',
    base_path: '/ai/acme',
    sdk_base_url: `${server.url}/ai/acme/v1`,
    models: ['acme-small', 'acme-bot', 'acme-echo'],
  })
  const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=200`)).json()) as {
    requests: { provider: string }[]
  }
  t.ok(requests.some(record => record.provider === 'acme'))
  t.match(await (await fetch(`${server.url}/_svc/metrics`)).text(), /svc_llm_requests_total\{[^}]*provider="acme"/)
})

t.test('invalid items are reported as load errors and skipped [LLM-33]', async t => {
  const { load_errors } = (await (await fetch(`${server.url}/_svc/plugins`)).json()) as {
    load_errors: { at: string; message: string }[]
  }
  const at = (place: string): string | undefined => load_errors.find(error => error.at === place)?.message
  t.match(at('llm.providers[4].format'), /nobody/)
  t.match(at('llm.providers[5].name'), /"acme" is already in use/)
  t.match(at('llm.providers[6].name'), /"openai" is already in use/)
  t.ok(
    load_errors.some(error => error.at.startsWith('llm.providers[7]')),
    'a reserved name',
  )
  t.match(at('llm.providers[8].fail'), /explode/)
  t.equal((await fetch(`${server.url}/ai/wrong-format`)).status, 404)
  const half = await fetch(`${server.url}/ai/half/v1/chat/completions`, {
    method: 'POST',
    body: '{"messages":[{"role":"user","content":"fine"}]}',
  })
  t.match(await half.json(), { choices: [{ message: { content: 'still here' } }] })
})
