/** The official `ollama` package against the mock. */
import t from 'tap'
import { Ollama } from 'ollama'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const client = new Ollama({ host: `${server.url}/ai/ollama`, headers: { 'X-Svc-Tokens-Per-Second': '0' } })
const messages = [{ role: 'user', content: 'hello' }]
const greeting = /^Hello! I'm svc.*today\?$/
const tools = [{ type: 'function', function: { name: 'get_weather', description: 'Current weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } }]

t.test('chat, whole and streamed, with tools, thinking and schemas [LLM-63]', async (t) => {
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
  const asked = await client.chat({ model: 'llama3.2', messages: [{ role: 'user', content: 'weather in Rome' }], tools })
  t.match(asked.message.tool_calls, [{ function: { name: 'get_weather', arguments: { city: 'Rome' } } }])
  let calls
  for await (const part of await client.chat({ model: 'llama3.2', messages: [{ role: 'user', content: 'weather in Rome' }], tools, stream: true })) calls ??= part.message.tool_calls
  t.match(calls, [{ function: { name: 'get_weather' } }])
  const answered = await client.chat({ model: 'llama3.2', tools, messages: [{ role: 'user', content: 'weather' }, asked.message, { role: 'tool', tool_name: 'get_weather', content: 'rainy' }] })
  t.match(answered.message.content, /get_weather returned rainy/)
  t.equal((await client.chat({ model: 'llama3.2', messages, format: { type: 'object', properties: { age: { type: 'integer' } } } })).message.content, '{"age":30}')
  t.equal((await client.chat({ model: 'llama3.2', messages, options: { num_predict: 2 } })).done_reason, 'length')
})

t.test('generate, whole and streamed, and loading alone [LLM-63]', async (t) => {
  const whole = await client.generate({ model: 'llama3.2', prompt: 'hello', system: 'be brief' })
  t.match(whole.response, greeting)
  t.same(whole.context, [])
  let text = ''
  for await (const part of await client.generate({ model: 'llama3.2', prompt: 'hello', stream: true })) text += part.response
  t.match(text, greeting)
  t.match(await client.generate({ model: 'llama3.2', prompt: '' }), { response: '', done_reason: 'load' })
})

t.test('embeddings, models, version [LLM-63]', async (t) => {
  const { embeddings } = await client.embed({ model: 'nomic-embed-text', input: ['a', 'b'] })
  t.same(embeddings.map((vector) => vector.length), [768, 768])
  t.equal((await client.embeddings({ model: 'nomic-embed-text', prompt: 'a' })).embedding.length, 768)
  t.ok((await client.list()).models.some((model) => model.name === 'llama3.2:latest'))
  t.match((await client.show({ model: 'llama3.2' })).details, { family: 'llama', format: 'gguf' })
  t.same((await client.ps()).models, [])
  t.equal((await client.version()).version, '0.14.0')
  await t.rejects(client.show({ model: 'nobody' }), { message: /model 'nobody' not found/ })
  await t.rejects(client.chat({ model: '', messages }), { message: /model is required/ })
  t.equal(await (await fetch(`${server.url}/ai/ollama/`)).text(), 'Ollama is running')
  t.equal((await fetch(`${server.url}/ai/ollama/`, { method: 'HEAD' })).status, 200)
})
