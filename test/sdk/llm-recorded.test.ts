/** A conversation in Anthropic's format, recorded through the proxy, and replayed by the SDKs of other providers. */
import t from 'tap'
import Anthropic from '@anthropic-ai/sdk'
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type ContentBlock,
  type Message,
} from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { GoogleGenAI, type Content } from '@google/genai'
import OpenAI from 'openai'
import { putRule } from '../support/rules.ts'
import { serve } from '../support/server.ts'
import { freePort } from '../support/free-ports.ts'

const port = await freePort()
const server = await serve(t, {
  plugins: ['proxy', 'llm-anthropic', 'llm-openai', 'llm-gemini', 'llm-bedrock'],
  env: { SVC_HTTP_PORT: String(port) },
  settings: {
    proxy: [{ name: 'claude', target: `http://127.0.0.1:${port}/ai/anthropic`, mode: 'record', as: 'llm' }],
    llm: { strict_fixtures: true },
  },
})

/** The upstream is the mock itself; only the session of the recording has these replies. */
const SESSION = 'recording'
await putRule(
  server,
  'call',
  {
    match: { llm: { user: { contains: 'weather' }, tool_result: false } },
    then: {
      reply: {
        text: 'I look it up.',
        tool_calls: [{ name: 'get_weather', args: { city: 'Rome' } }],
        usage: { prompt_tokens: 20, completion_tokens: 9, cached_tokens: 5 },
      },
    },
  },
  SESSION,
)
await putRule(
  server,
  'answer',
  { match: { llm: { tool_result: { contains: 'sunny' } } }, then: { reply: { text: 'Sunny, {{count}} time.' } } },
  SESSION,
)

const model = 'claude-sonnet-x'
const question = 'weather in Rome?'
const schema = { type: 'object' as const, properties: { city: { type: 'string' } } }

t.test('record the conversation through the proxy [PROXY-60]', async t => {
  const anthropic = new Anthropic({
    baseURL: `${server.url}/proxy/claude`,
    apiKey: `svc-session-${SESSION}`,
    maxRetries: 0,
  })
  const tools = [{ name: 'get_weather', input_schema: schema }]
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }]
  const first = await anthropic.messages.stream({ model, max_tokens: 100, messages, tools }).finalMessage()
  const call = first.content.find(block => block.type === 'tool_use')!
  messages.push(
    { role: 'assistant', content: first.content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'sunny' }] },
  )
  const second = await anthropic.messages.create({ model, max_tokens: 100, messages, tools })
  t.match(second.content, [{ text: 'Sunny, 1 time.' }])
})

t.test('OpenAI replays it [PROXY-61]', async t => {
  const openai = new OpenAI({ baseURL: `${server.url}/ai/openai/v1`, apiKey: 'k', maxRetries: 0 })
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: 'function', function: { name: 'get_weather', parameters: schema } },
  ]
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }]
  const { choices, usage } = await openai.chat.completions.create({ model, messages, tools })
  const [call] = choices[0]!.message.tool_calls!
  t.match(choices[0], { message: { content: 'I look it up.' }, finish_reason: 'tool_calls' })
  t.match(call, { id: /^toolu_/, function: { name: 'get_weather', arguments: '{"city":"Rome"}' } })
  t.match(usage, { prompt_tokens: 20, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 5 } })
  messages.push(choices[0]!.message, { role: 'tool', tool_call_id: call!.id, content: 'sunny' })
  const stream = openai.chat.completions.stream({ model, messages, tools })
  t.equal((await stream.finalChatCompletion()).choices[0]!.message.content, 'Sunny, 1 time.')
  await t.rejects(
    openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'something else' }] }),
    /no fixture matches; the closest is claude-1, which differs in llm.user/,
  )
})

t.test('Gemini replays it [PROXY-61]', async t => {
  const gemini = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: `${server.url}/ai/gemini` } })
  const config = { tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: schema }] }] }
  const contents: Content[] = [{ role: 'user', parts: [{ text: question }] }]
  const first = await gemini.models.generateContent({ model, contents, config })
  t.match(first.functionCalls, [{ name: 'get_weather', args: { city: 'Rome' } }])
  t.match(first.usageMetadata, { promptTokenCount: 20, cachedContentTokenCount: 5 })
  contents.push(first.candidates![0]!.content!, {
    role: 'user',
    parts: [{ functionResponse: { name: 'get_weather', response: { result: 'sunny' } } }],
  })
  let text = ''
  for await (const chunk of await gemini.models.generateContentStream({ model, contents, config })) text += chunk.text
  t.equal(text, 'Sunny, 1 time.')
})

t.test('Bedrock replays it [PROXY-61]', async t => {
  const bedrock = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: `${server.url}/ai/bedrock`,
    credentials: { accessKeyId: 'AKID', secretAccessKey: 's' },
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  })
  t.teardown(() => bedrock.destroy())
  const toolConfig = { tools: [{ toolSpec: { name: 'get_weather', inputSchema: { json: schema } } }] }
  const messages: Message[] = [{ role: 'user', content: [{ text: question }] }]
  const first = await bedrock.send(new ConverseCommand({ modelId: model, messages, toolConfig }))
  const content = first.output!.message!.content!
  t.match(content, [{ text: 'I look it up.' }, { toolUse: { name: 'get_weather', input: { city: 'Rome' } } }])
  t.match(first.usage, { inputTokens: 15, outputTokens: 9, cacheReadInputTokens: 5 })
  const { toolUseId } = content.find((block): block is ContentBlock.ToolUseMember => 'toolUse' in block)!.toolUse
  messages.push(first.output!.message!, {
    role: 'user',
    content: [{ toolResult: { toolUseId, content: [{ text: 'sunny' }] } }],
  })
  const { stream } = await bedrock.send(new ConverseStreamCommand({ modelId: model, messages, toolConfig }))
  let text = ''
  for await (const event of stream!) text += event.contentBlockDelta?.delta?.text ?? ''
  t.equal(text, 'Sunny, 1 time.')
})
