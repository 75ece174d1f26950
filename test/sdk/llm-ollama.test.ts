/** The official `ollama` package against the mock. */
import t from 'tap'
import OpenAI from 'openai'
import { Ollama } from 'ollama'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const client = new Ollama({ host: `${server.url}/ai/ollama`, headers: { 'X-Svc-Tokens-Per-Second': '0' } })
const messages = [{ role: 'user', content: 'hello' }]
const greeting = /^Hello! I'm svc.*today\?$/
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Current weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]

t.test('chat with and without streaming, with tools, thinking and schemas [LLM-63]', async t => {
  const whole = await client.chat({ model: 'llama3.2', messages })
  t.match(whole.message.content, greeting)
  t.match(whole, { done: true, done_reason: 'stop', prompt_eval_count: 4, eval_count: 45 })
  let text = ''
  let thinking = ''
  let last
  for await (const part of await client.chat({ model: 'llama3.2', messages, stream: true, think: true })) {
    text += part.message.content
    thinking += part.message.thinking ?? ''
    last = part
  }
  t.match(text, greeting)
  t.match(thinking, /^The user said: "hello"/)
  t.match(last, { done: true, done_reason: 'stop' })
  const asked = await client.chat({
    model: 'llama3.2',
    messages: [{ role: 'user', content: 'weather in Rome' }],
    tools,
  })
  t.match(asked.message.tool_calls, [{ function: { name: 'get_weather', arguments: { city: 'Rome' } } }])
  let calls
  for await (const part of await client.chat({
    model: 'llama3.2',
    messages: [{ role: 'user', content: 'weather in Rome' }],
    tools,
    stream: true,
  }))
    calls ??= part.message.tool_calls
  t.match(calls, [{ function: { name: 'get_weather' } }])
  const answered = await client.chat({
    model: 'llama3.2',
    tools,
    messages: [
      { role: 'user', content: 'weather' },
      asked.message,
      { role: 'tool', tool_name: 'get_weather', content: 'rainy' },
    ],
  })
  t.match(answered.message.content, /get_weather returned rainy/)
  t.equal(
    (
      await client.chat({
        model: 'llama3.2',
        messages,
        format: { type: 'object', properties: { age: { type: 'integer' } } },
      })
    ).message.content,
    '{"age":30}',
  )
  t.equal((await client.chat({ model: 'llama3.2', messages, options: { num_predict: 2 } })).done_reason, 'length')
})

t.test('generate with and without streaming, and loading a model [LLM-63]', async t => {
  const whole = await client.generate({ model: 'llama3.2', prompt: 'hello', system: 'be brief' })
  t.match(whole.response, greeting)
  t.same(whole.context, [])
  let text = ''
  for await (const part of await client.generate({ model: 'llama3.2', prompt: 'hello', stream: true }))
    text += part.response
  t.match(text, greeting)
  t.match(await client.generate({ model: 'llama3.2', prompt: '' }), { response: '', done_reason: 'load' })
})

t.test('embeddings, models, version [LLM-63]', async t => {
  const { embeddings } = await client.embed({ model: 'nomic-embed-text', input: ['a', 'b'] })
  t.same(
    embeddings.map(vector => vector.length),
    [768, 768],
  )
  t.equal((await client.embeddings({ model: 'nomic-embed-text', prompt: 'a' })).embedding.length, 768)
  t.ok((await client.list()).models.some(model => model.name === 'llama3.2:latest'))
  t.match((await client.show({ model: 'llama3.2' })).details, { family: 'llama', format: 'gguf' })
  t.same((await client.ps()).models, [])
  t.equal((await client.version()).version, '0.14.0')
  await t.rejects(client.show({ model: 'nobody' }), { message: /model 'nobody' not found/ })
  await t.rejects(client.chat({ model: '', messages }), { message: /model is required/ })
  t.equal(await (await fetch(`${server.url}/ai/ollama/`)).text(), 'Ollama is running')
  t.equal((await fetch(`${server.url}/ai/ollama/`, { method: 'HEAD' })).status, 200)
})

t.test(
  'the openai package gets chats, responses, embeddings and models below /v1, and errors in its own form [LLM-63]',
  async t => {
    const openai = new OpenAI({
      baseURL: `${server.url}/ai/ollama/v1`,
      apiKey: 'ollama',
      maxRetries: 0,
      defaultHeaders: { 'X-Svc-Tokens-Per-Second': '0' },
    })
    const messages = [{ role: 'user' as const, content: 'hello' }]
    const { data, response } = await openai.chat.completions.create({ model: 'llama3.2', messages }).withResponse()
    t.match(data, {
      model: 'llama3.2',
      choices: [{ message: { content: /^Hello! I'm svc/ }, finish_reason: 'stop' }],
      usage: { total_tokens: 49 },
    })
    t.equal(response.headers.get('x-svc-provider'), 'ollama')
    let text = ''
    for await (const chunk of await openai.chat.completions.create({ model: 'llama3.2', messages, stream: true }))
      text += chunk.choices[0]?.delta.content ?? ''
    t.equal(text, data.choices[0]?.message.content)
    const tools = [
      { type: 'function' as const, function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } },
    ]
    t.match(await openai.chat.completions.create({ model: 'llama3.2', messages, tools, tool_choice: 'required' }), {
      choices: [{ finish_reason: 'tool_calls' }],
    })
    t.match(await openai.completions.create({ model: 'llama3.2', prompt: 'hello' }), { choices: [{ text: /^Hello!/ }] })
    t.match(await openai.responses.create({ model: 'llama3.2', input: 'hello' }), {
      status: 'completed',
      output_text: /^Hello!/,
    })
    t.equal(
      (await openai.embeddings.create({ model: 'nomic-embed-text', input: 'hello', dimensions: 8 })).data[0]?.embedding
        .length,
      8,
    )
    t.match((await openai.models.list()).data, [{ id: 'llama3.2:latest', object: 'model' }])
    t.match(await openai.models.retrieve('llama3.2'), { id: 'llama3.2' })
    await t.rejects(openai.models.retrieve('no-such'), { status: 404, message: /model 'no-such' not found/ })
    await t.rejects(openai.chat.completions.create({ model: '', messages }), {
      status: 400,
      param: 'model',
      message: /model is required/,
    })
    await t.rejects(
      openai.chat.completions.create({ model: 'llama3.2', messages }, { headers: { 'X-Svc-Fail': 'rate_limit' } }),
      { status: 429, code: 'rate_limit_exceeded', message: /rate limit/ },
    )
    await t.rejects(openai.images.generate({ prompt: 'x' }), {
      status: 404,
      message: /\/ai\/ollama\/v1\/images\/generations/,
    })
    t.match(await (await fetch(`${server.url}/ai/ollama/api/nothing`)).json(), { error: /nothing/ })
  },
)
