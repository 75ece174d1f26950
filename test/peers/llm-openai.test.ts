/** The official `openai` package against the mock: every call that the format offers. */
import t from 'tap'
import OpenAI from 'openai'
import { serve } from '../support/server.ts'

const server = await serve(t)
const client = new OpenAI({ baseURL: `${server.url}/ai/openai/v1`, apiKey: 'sk-demo-1234', maxRetries: 0 })
const hello: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hello' }]

t.test('chat completions: an answer with usage, a stream, and their records [LLM-50]', async (t) => {
  const { data, response } = await client.chat.completions.create({ model: 'svc-gpt', messages: hello }).withResponse()
  t.match(data.choices[0]?.message.content, /^Hello! I'm svc/)
  t.same([data.usage?.prompt_tokens, data.usage?.completion_tokens, data.usage?.total_tokens], [4, 45, 49])
  t.equal(response.headers.get('x-svc-credential'), 'bearer ****1234')

  const stream = await client.chat.completions.create({ model: 'svc-gpt', messages: hello, stream: true, stream_options: { include_usage: true } })
  let text = ''
  let deltas = 0
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of stream) {
    const piece = chunk.choices[0]?.delta.content ?? ''
    if (piece !== '') deltas++
    text += piece
    usage = chunk.usage
  }
  t.equal(text, data.choices[0]?.message.content)
  t.equal(deltas, 45, 'one delta a token')
  t.same(usage, data.usage)

  const record = await (await fetch(`${server.url}/ai/requests/${response.headers.get('x-svc-request-id')}`)).json()
  t.match(record, { provider: 'openai', model: 'svc-gpt', mode: 'canned', status: 200, normalized_prompt: 'user: hello', finish_reason: 'stop', usage: { prompt_tokens: 4, completion_tokens: 45, total_tokens: 49 } })
  t.equal((record as { headers: Record<string, string> }).headers.authorization, 'Bearer ****1234')
})

t.test('chat completions: the stream helper and runTools [LLM-50]', async (t) => {
  const final = await client.chat.completions.stream({ model: 'svc-gpt', messages: hello }).finalChatCompletion()
  t.match(final.choices[0]?.message.content, /^Hello!/)
  const called: string[] = []
  const runner = client.chat.completions.runTools({
    model: 'svc-gpt',
    messages: [{ role: 'user', content: 'weather in Paris?' }],
    tools: [{ type: 'function', function: { name: 'get_weather', description: 'Current weather', parameters: { type: 'object', properties: { city: { type: 'string' } } }, parse: JSON.parse, function: (args: { city: string }) => { called.push(args.city); return 'sunny' } } }],
  })
  t.equal(await runner.finalContent(), 'Based on the tool results: get_weather returned sunny. Let me know if you need anything else.')
  t.same(called, ['Paris'])
})
