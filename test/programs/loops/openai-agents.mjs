/** OpenAI's Agents SDK: tools, a handoff and structured output, over two turns, whole and streamed. Argument: the base URL of svc. */
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'

setTracingDisabled(true)
const client = new OpenAI({
  apiKey: 'sk-demo',
  maxRetries: 0,
  baseURL: `${process.argv[2]}/ai/openai/v1`,
  defaultHeaders: { 'X-Svc-Tokens-Per-Second': '0' },
})
const weather = tool({
  name: 'get_weather',
  description: 'Current weather',
  parameters: z.object({ city: z.string() }),
  execute: async () => 'sunny',
})
const time = tool({
  name: 'get_time',
  description: 'Current time',
  parameters: z.object({ city: z.string() }),
  execute: async () => 'seven',
})

let calls = 0
for (const model of [
  new OpenAIChatCompletionsModel(client, 'gpt-4.1'),
  new OpenAIResponsesModel(client, 'gpt-4.1'),
  new OpenAIResponsesModel(client, 'gpt-5'),
]) {
  const expert = new Agent({ name: 'Clock', instructions: 'You know the time.', model, tools: [time] })
  const agent = new Agent({
    name: 'Assistant',
    instructions: 'You are a helpful assistant.',
    model,
    tools: [weather],
    handoffs: [expert],
    modelSettings: { parallelToolCalls: true },
  })
  const first = await run(agent, 'weather in Paris?')
  const streamed = await run(agent, [...first.history, { role: 'user', content: 'and the weather in Rome?' }], {
    stream: true,
  })
  for await (const _event of streamed);
  await streamed.completed
  const third = await run(expert, [...streamed.history, { role: 'user', content: 'what time is it in Oslo?' }])
  calls += third.history.filter(({ type }) => type === 'function_call').length
  const typed = new Agent({ name: 'Reader', model, outputType: z.object({ city: z.string() }) })
  const { finalOutput } = await run(typed, 'where?')
  if (typeof finalOutput.city !== 'string') throw new Error('no structured output')
}
console.log(JSON.stringify({ calls }))
