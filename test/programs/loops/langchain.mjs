/** LangChain's agents: tools over two turns, whole and streamed, and structured output. Argument: the base URL of svc. */
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'

const url = process.argv[2]
const defaultHeaders = { 'X-Svc-Tokens-Per-Second': '0' }
const openai = { apiKey: 'sk-demo', maxRetries: 0, configuration: { baseURL: `${url}/ai/openai/v1`, defaultHeaders } }
const models = [
  new ChatOpenAI({ model: 'gpt-4.1', ...openai }),
  new ChatOpenAI({ model: 'gpt-5', useResponsesApi: true, reasoning: { effort: 'low' }, ...openai }),
  new ChatAnthropic({
    model: 'claude-sonnet-4-5',
    apiKey: 'sk-demo',
    maxRetries: 0,
    maxTokens: 4096,
    anthropicApiUrl: `${url}/ai/anthropic`,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    clientOptions: { defaultHeaders },
  }),
  new ChatGoogleGenerativeAI({
    model: 'gemini-2.5-flash',
    apiKey: 'sk-demo',
    maxRetries: 0,
    baseUrl: `${url}/ai/gemini`,
  }),
]
const city = z.object({ city: z.string() })
const weather = tool(() => 'sunny', { name: 'get_weather', description: 'Current weather', schema: city })
const time = tool(() => 'seven', { name: 'get_time', description: 'Current time', schema: city })

let calls = 0
for (const model of models) {
  const agent = createAgent({ model, tools: [weather, time], systemPrompt: 'You are a helpful assistant.' })
  const first = await agent.invoke({ messages: [{ role: 'user', content: 'weather in Paris, and the time in Rome?' }] })
  let messages = [...first.messages, { role: 'user', content: 'and the weather in Oslo?' }]
  for await (const chunk of await agent.stream({ messages }, { streamMode: 'values' })) messages = chunk.messages
  const { messages: last } = await agent.invoke({ messages: [...messages, { role: 'user', content: 'thank you' }] })
  calls += last.filter(({ type }) => type === 'tool').length
}
const place = await models[0].withStructuredOutput(city, { strict: true, name: 'place' }).invoke('where?')
if (typeof place.city !== 'string') throw new Error('no structured output')
console.log(JSON.stringify({ calls }))
