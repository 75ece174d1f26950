/** Conversations of agents at the level `enforce`: a coding agent on the Messages API, and the AI SDK with each provider. */
import t from 'tap'
import Anthropic from '@anthropic-ai/sdk'
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createCohere } from '@ai-sdk/cohere'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, streamText, tool, type LanguageModel, type ModelMessage } from 'ai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t, { env: { SVC_AI_VALIDATION: 'enforce' } })
const FAST = { 'X-Svc-Tokens-Per-Second': '0' }

interface Recorded {
  status: number
  violations: string[]
}

/** The requests of a session that were refused, or violate something. */
async function problemsOf(session: string): Promise<Recorded[]> {
  const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=200&session=${session}`)).json()) as {
    requests: Recorded[]
  }
  if (requests.length < 3) throw new Error(`the session ${session} has ${requests.length} requests`)
  return requests.filter(({ status, violations }) => status !== 200 || violations.length > 0)
}

const ephemeral = (ttl: '5m' | '1h' = '5m'): { type: 'ephemeral'; ttl: '5m' | '1h' } => ({ type: 'ephemeral', ttl })
const toolOf = (name: string, properties: Record<string, object>): Anthropic.Beta.BetaTool => ({
  name,
  description: `The tool ${name}`,
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required: Object.keys(properties).slice(0, 1),
    additionalProperties: false,
  },
})
const TOOLS = [
  toolOf('Bash', {
    command: { type: 'string' },
    timeout: { type: 'number' },
    description: { type: 'string', maxLength: 80 },
  }),
  toolOf('Read', { file_path: { type: 'string' }, offset: { type: 'number' }, limit: { type: 'number' } }),
  toolOf('TodoWrite', {
    todos: {
      type: 'array',
      items: { type: 'object', properties: { content: { type: 'string', minLength: 1 } }, required: ['content'] },
    },
  }),
]
const BETAS = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'fine-grained-tool-streaming-2025-05-14',
  'context-management-2025-06-27',
  'prompt-caching-scope-2026-01-05',
  'effort-2025-11-24',
]

/** What the model replies, turn by turn: parallel calls with a thought, one call, and a text. */
const REPLIES = [
  {
    reasoning: 'I look at the files first.',
    text: 'I will look around.',
    tool_calls: [
      { name: 'Bash', args: { command: 'ls' } },
      { name: 'Read', args: { file_path: '/work/a.ts' } },
      { name: 'Read', args: { file_path: '/work/missing.ts' } },
    ],
  },
  { reasoning: 'Now the list.', tool_calls: [{ name: 'TodoWrite', args: { todos: [{ content: 'fix it' }] } }] },
  { reasoning: 'All is done.', text: 'Done.' },
]

type Blocks = Anthropic.Beta.BetaContentBlockParam[]
interface Message {
  role: 'user' | 'assistant'
  content: Blocks
}

/** The results of the calls, as a coding agent returns them: one failed, and a reminder follows. */
function resultsOf(content: Anthropic.Beta.BetaContentBlock[]): Blocks {
  const results = content.flatMap(
    (block, index): Blocks =>
      block.type === 'tool_use'
        ? [
            {
              type: 'tool_result',
              tool_use_id: block.id,
              content: index % 2 === 0 ? 'a.ts' : [{ type: 'text', text: 'const answer = 42' }],
              ...(JSON.stringify(block.input).includes('missing') ? { is_error: true } : {}),
            },
          ]
        : [],
  )
  return [...results, { type: 'text', text: '<system-reminder>The list is empty.</system-reminder>' }]
}

/** The mark for the prompt cache is on the last block of the last message only. */
function withMark(messages: readonly Message[]): Message[] {
  return messages.map(({ role, content }, index) => ({
    role,
    content: content.map((block, place) =>
      index === messages.length - 1 && place === content.length - 1
        ? ({ ...block, cache_control: ephemeral() } as Blocks[number])
        : block,
    ),
  }))
}

for (const [model, thinking] of [
  ['claude-opus-5-5', { type: 'adaptive' }],
  ['claude-sonnet-4-5-20250929', { type: 'enabled', budget_tokens: 31_999 }],
] as const)
  t.test(`a coding agent with ${model}: thoughts, parallel tools, streams and marks for the cache`, async t => {
    const session = `agent-${model}`
    const client = new Anthropic({
      apiKey: 'sk-demo',
      maxRetries: 0,
      baseURL: `${server.url}/s/${session}/ai/anthropic`,
      defaultHeaders: FAST,
    })
    const common = {
      model,
      thinking,
      tools: TOOLS,
      betas: BETAS,
      system: [
        { type: 'text' as const, text: 'You are a coding agent.', cache_control: ephemeral('1h') },
        { type: 'text' as const, text: 'Working directory: /work', cache_control: ephemeral('1h') },
      ],
      context_management: { edits: [{ type: 'clear_thinking_20251015' as const, keep: 'all' as const }] },
    }
    const messages: Message[] = []
    for (let turn = 0; turn < 3; turn++) {
      messages.push({
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>Be brief.</system-reminder>' },
          { type: 'text', text: 'Fix the test.' },
        ],
      })
      for (const reply of REPLIES) {
        const sent = withMark(messages)
        const counted = await client.beta.messages.countTokens({ ...common, messages: sent })
        t.ok(counted.input_tokens > 0)
        const { content, stop_reason: reason } = await client.beta.messages
          .stream(
            {
              ...common,
              max_tokens: 32_000,
              metadata: { user_id: 'user_1_session_2' },
              ...(model === 'claude-opus-5-5' ? { output_config: { effort: 'high' as const } } : {}),
              messages: sent,
            },
            { headers: { 'X-Svc-Reply-Json': JSON.stringify(reply) } },
          )
          .finalMessage()
        t.equal(content[0]?.type, 'thinking')
        messages.push({ role: 'assistant', content: content as Blocks })
        if (reason === 'tool_use') messages.push({ role: 'user', content: resultsOf(content) })
      }
    }
    t.equal(messages.length, 18)
    t.strictSame(await problemsOf(session), [])
  })

const options = (session: string, path: string) => ({
  apiKey: 'sk-demo',
  headers: FAST,
  baseURL: `${server.url}/s/${session}/ai/${path}`,
})
const thinks = { type: 'enabled' as const, budgetTokens: 1024 }
const models: Record<string, { model: (session: string) => LanguageModel; providerOptions?: object }> = {
  'openai-chat': { model: session => createOpenAI(options(session, 'openai/v1')).chat('gpt-4.1') },
  'openai-responses': {
    model: session => createOpenAI(options(session, 'openai/v1')).responses('gpt-5'),
    providerOptions: {
      openai: {
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoningEffort: 'low',
        reasoningSummary: 'auto',
      },
    },
  },
  anthropic: {
    model: session => createAnthropic(options(session, 'anthropic/v1'))('claude-sonnet-4-5'),
    providerOptions: { anthropic: { thinking: thinks } },
  },
  'google-3': { model: session => createGoogleGenerativeAI(options(session, 'gemini/v1beta'))('gemini-3-pro-preview') },
  'google-2.5': {
    model: session => createGoogleGenerativeAI(options(session, 'gemini/v1beta'))('gemini-2.5-flash'),
    providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
  },
  bedrock: {
    model: session =>
      createAmazonBedrock({ ...options(session, 'bedrock'), region: 'us-east-1' })(
        'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      ),
    providerOptions: { bedrock: { reasoningConfig: thinks } },
  },
  cohere: { model: session => createCohere(options(session, 'cohere/v2'))('command-a-03-2025') },
}
const input = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
})
const tools = {
  get_weather: tool({ description: 'Current weather', inputSchema: input, execute: async () => 'sunny' }),
  get_time: tool({ description: 'Current time', inputSchema: input, execute: async () => ({ hour: 7 }) }),
}

for (const [name, { model, providerOptions }] of Object.entries(models))
  t.test(`AI SDK, ${name}: tools over two turns, streamed and whole, are not refused`, async t => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'weather in Paris, and the time in Rome?' }]
    const common = {
      model: model(name),
      tools,
      stopWhen: stepCountIs(4),
      maxRetries: 0,
      ...(providerOptions === undefined ? {} : { providerOptions: providerOptions as never }),
    }
    const whole = await generateText({ ...common, messages })
    t.ok(
      whole.steps.some(({ toolCalls }) => toolCalls.length > 0),
      'a tool was called',
    )
    messages.push(...whole.response.messages, { role: 'user', content: 'and the weather in Oslo?' })
    const streamed = streamText({ ...common, messages })
    await streamed.consumeStream()
    messages.push(...(await streamed.response).messages, { role: 'user', content: 'thank you' })
    t.ok((await generateText({ ...common, messages })).text)
    t.strictSame(await problemsOf(name), [])
  })
