/** Loops of agents: calls that are forced on every turn, and structured output without a format of the provider. */
import t from 'tap'
import Anthropic from '@anthropic-ai/sdk'
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createCohere } from '@ai-sdk/cohere'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, hasToolCall, jsonSchema, stepCountIs, tool, type LanguageModel } from 'ai'
import { CohereClientV2 } from 'cohere-ai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const ai = `${server.url}/ai`
const options = { apiKey: 'k', headers: { 'X-Svc-Tokens-Per-Second': '0' } }
const openai = createOpenAI({ ...options, baseURL: `${ai}/openai/v1` })
const models: Record<string, LanguageModel> = {
  'openai chat': openai.chat('svc-gpt'),
  'openai responses': openai.responses('svc-gpt'),
  anthropic: createAnthropic({ ...options, baseURL: `${ai}/anthropic/v1` })('claude-sonnet-4-5'),
  google: createGoogleGenerativeAI({ ...options, baseURL: `${ai}/gemini/v1beta` })('gemini-2.5-flash'),
  bedrock: createAmazonBedrock({ ...options, baseURL: `${ai}/bedrock`, region: 'us-east-1' })('amazon.nova-pro-v1:0'),
  cohere: createCohere({ ...options, baseURL: `${ai}/cohere/v2` })('command-a-03-2025'),
}
const input = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } })
const question = { role: 'user' as const, content: 'what weather in Rome' }

for (const [name, model] of Object.entries(models)) {
  t.test(`${name}: a call that is required on every turn ends with the last tool [LLM-8]`, async t => {
    const steps = await generateText({
      model,
      prompt: question.content,
      tools: {
        weather: tool({ description: 'Current weather', inputSchema: input, execute: async () => 'sunny' }),
        final_answer: tool({ description: 'Gives the result', inputSchema: input }),
      },
      toolChoice: 'required',
      stopWhen: [hasToolCall('final_answer'), stepCountIs(5)],
      maxRetries: 0,
    })
    t.same(
      steps.steps.map(step => step.toolCalls.map(call => call.toolName)),
      [['weather'], ['final_answer']],
    )
    const named = await generateText({
      model,
      prompt: question.content,
      tools: { weather: tool({ description: 'Current weather', inputSchema: input, execute: async () => 'sunny' }) },
      toolChoice: { type: 'tool', toolName: 'weather' },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    })
    t.equal(named.steps.length, name === 'cohere' ? named.steps.length : 3, 'a named tool is called each time')
  })
}

t.test('a JSON Schema in the prompt is filled in every format [LLM-10]', async t => {
  const schema = { type: 'object', properties: { city: { type: 'string' }, sunny: { type: 'boolean' } } }
  const content = `How is the weather in Rome? Reply with JSON of this schema:\n\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``
  const messages = [{ role: 'user' as const, content }]
  const expected = '{"city":"Rome","sunny":true}'
  const chat = new OpenAI({ baseURL: `${ai}/openai/v1`, apiKey: 'k' })
  const reply = await chat.chat.completions.create({ model: 'svc-gpt', messages })
  t.equal(reply.choices[0]?.message.content, expected)
  const object = await chat.chat.completions.create({
    model: 'svc-gpt',
    messages,
    response_format: { type: 'json_object' },
  })
  t.equal(object.choices[0]?.message.content, expected)
  t.equal((await chat.responses.create({ model: 'svc-gpt', input: content })).output_text, expected)
  const anthropic = new Anthropic({ baseURL: `${ai}/anthropic`, apiKey: 'k' })
  const message = await anthropic.messages.create({ model: 'claude-opus-5-5', max_tokens: 99, messages })
  t.match(message.content, [{ type: 'text', text: expected }])
  const ollama = await new Ollama({ host: `${ai}/ollama` }).chat({ model: 'llama3.2', messages, format: 'json' })
  t.equal(ollama.message.content, expected)
})

t.test("Cohere's complete reply has the reasoning before its calls [LLM-64]", async t => {
  const client = new CohereClientV2({ environment: `${ai}/cohere`, token: 'k' })
  const called = await client.chat({
    model: 'svc-command',
    messages: [question],
    thinking: { type: 'enabled' },
    tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } }],
  })
  t.match(called.message, {
    content: [{ type: 'thinking', thinking: /^The user said/ }],
    toolCalls: [{ type: 'function' }],
  })
  t.equal(called.message.content?.length, 1)
})

t.test('calls of Ollama have an id and an index, and results name their call by it [LLM-63]', async t => {
  const client = new Ollama({ host: `${ai}/ollama`, headers: options.headers })
  const tools = ['get_weather', 'get_time'].map(name => ({ type: 'function', function: { name, description: '' } }))
  const two = { tool_calls: [{ name: 'get_weather' }, { name: 'get_time' }] }
  const asked = await new Ollama({
    host: `${ai}/ollama`,
    headers: { 'X-Svc-Reply-Json': JSON.stringify(two) },
  }).chat({ model: 'llama3.2', messages: [question], tools })
  const calls = asked.message.tool_calls as unknown as { id: string }[]
  t.match(calls, [
    { id: /^call_[0-9a-f]{24}$/, function: { index: 0, name: 'get_weather' } },
    { id: /^call_[0-9a-f]{24}$/, function: { index: 1, name: 'get_time' } },
  ])
  t.not(calls[0]?.id, calls[1]?.id)
  let streamed: unknown
  for await (const { message } of await client.chat({ model: 'llama3.2', messages: [question], tools, stream: true }))
    streamed ??= message.tool_calls
  t.match(streamed, [{ id: /^call_/, function: { index: 0, name: 'get_weather' } }])
  const result = { role: 'tool', content: 'sunny', tool_call_id: calls[1]?.id }
  const answered = await client.chat({ model: 'llama3.2', messages: [question, asked.message, result], tools })
  t.match(answered.message.content, 'get_time returned sunny')
})
