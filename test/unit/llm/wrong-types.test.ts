/**
 * Values of wrong types on every route are rejected as bad input or accepted; they never cause a failure.
 * Takes long: it puts wrong types into every request of every provider.
 */
import t from 'tap'
import { OutputBudget, StepBudget } from '../../../core/contract/plugin.ts'
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import { compute } from '../../../plugins/llm/steps/compute.ts'
import { isBadInput, ProviderError } from '../../../plugins/llm/contract/errors.ts'
import type { ProviderInstance } from '../../../plugins/llm/providers/instance.ts'
import { BatchStore } from '../../../plugins/llm/state/batches.ts'
import { DocumentStore } from '../../../plugins/llm/state/documents.ts'
import { defaultLatency } from '../../../plugins/llm/streaming/pace.ts'
import type { LlmProvider, ProviderRoute, RenderContext, RouteInput } from '../../../plugins/llm/types.ts'
import { createProvider as anthropic } from '../../../plugins/llm-anthropic/provider.ts'
import { createMessages } from '../../../plugins/llm-anthropic/messages.ts'
import { createProvider as azure } from '../../../plugins/llm-azure/provider.ts'
import { createProvider as bedrock } from '../../../plugins/llm-bedrock/provider.ts'
import { createProvider as cohere } from '../../../plugins/llm-cohere/provider.ts'
import { createProvider as gemini } from '../../../plugins/llm-gemini/provider.ts'
import { createState as geminiState } from '../../../plugins/llm-gemini/state.ts'
import { createProvider as ollama } from '../../../plugins/llm-ollama/provider.ts'
import { createProvider as openai } from '../../../plugins/llm-openai/provider.ts'
import { createState } from '../../../plugins/llm-openai/state.ts'
import { createWire } from '../../../plugins/llm-openai/wire.ts'
import { pluginState } from '../../support/plugin-state.ts'

const engine = createEngine()

const { svc } = pluginState({ publicMode: false }, { isStrict: true })
const llm = {
  engine,
  documents: new DocumentStore(svc),
  batches: new BatchStore(svc, 1000, { maxBytes: 1_000_000 }),
}
const state = createState(svc, llm)
const providers: LlmProvider[] = [
  openai(engine, state),
  azure(engine, extras => createWire(engine, state, extras)),
  anthropic(llm),
  gemini(geminiState(svc, llm)),
  bedrock(engine, { anthropic: createMessages(engine), openai: createWire(engine, state).routes.chat }),
  ollama(engine),
  cohere(engine),
]
const limits = { choices: 8, images: 4, dimensions: 4096, inputs: 2048, loremWords: 4000 }

function instanceOf(format: LlmProvider): ProviderInstance {
  return {
    name: format.id,
    title: format.title,
    basePath: format.basePath,
    format,
    models: format.models,
    strictModels: false,
    rules: [],
    latency: defaultLatency,
    fail: null,
    hasWindows: false,
    requirement: { requireAuth: false, apiKey: null },
    isNamed: false,
  }
}

function inputOf(body: object): RouteInput {
  return {
    method: 'POST',
    headers: {},
    params: { model: 'm', modelId: 'm', deployment: 'd' },
    query: new URLSearchParams('api-version=1'),
    body: Buffer.from(JSON.stringify(body)),
    json: () => structuredClone(body) as Record<string, unknown>,
    session: 's',
    provider: 'p',
    basePath: '/ai/p',
    ignoreHeader: () => {},
    storesResponses: true,
    generate: () => Promise.reject(new Error('not used')),
    runItem: () => Promise.reject(new Error('no batches here')),
    isUpgrade: false,
    url: path => path,
    output: () => new OutputBudget(1_000_000),
    limits,
    credential: null,
    replyMembers: () => ({}),
  }
}

/** Processes a request completely, including the stream. Returns null or the error. */
async function answer(provider: LlmProvider, route: ProviderRoute, body: object): Promise<unknown> {
  try {
    const output = new OutputBudget(1 << 24)
    if (route.parse === undefined) {
      const reply = await route.handle(inputOf(body))
      if ('events' in reply) for (const event of reply.events) JSON.stringify(event.data)
      else JSON.stringify(reply.body)
      return null
    }
    const parsed = await route.parse(inputOf(body))
    const result = await compute(parsed, {
      instance: instanceOf(provider),
      limits,
      modeHeader: undefined,
      filtered: undefined,
      rules: [],
      output,
      steps: StepBudget.unlimited(),
    })
    const context: RenderContext = {
      requestId: 'r',
      created: 1,
      nowMs: 1000,
      url: path => `http://x${path}`,
      provider: provider.id,
      finishReasons: route.finishReasons ?? provider.finishReasons,
      limits,
      session: 's',
      plan: () => ({ ttftMs: 0, gapMs: 0, failsAfter: null }),
      output,
    }
    await route.keep?.(result, parsed, context)
    JSON.stringify(route.render(result, parsed, context).body)
    for (const event of route.stream?.(result, parsed, context) ?? []) JSON.stringify(event.data)
    return null
  } catch (error) {
    return isBadInput(error) || error instanceof ProviderError ? null : error
  }
}

const values: unknown[] = [
  null,
  0,
  -1,
  1e99,
  true,
  '',
  'x',
  [],
  [[]],
  [null],
  {},
  { type: 'x' },
  { type: 'json_schema' },
  { type: 'json_schema', json_schema: { schema: 7 } },
  [{ role: 7 }],
  [{ role: 'user', content: [[], null, { type: 'text' }, { type: 'image_url' }, { type: 'image', source: 7 }] }],
  [{ role: 'assistant', content: 7, tool_calls: [null, { function: 7 }, { function: { name: 'x', arguments: 7 } }] }],
  { parts: 7 },
  [{ parts: [null, 7, { functionCall: {} }, { inlineData: 7 }] }],
  [{ functionDeclarations: [null, { name: 'x' }] }],
  [{ function: { name: 'x', parameters: [] } }],
  [{ name: 'x', input_schema: 'x', cache_control: {} }],
  { tools: [{ toolSpec: { name: 'x' } }], toolChoice: { tool: 7 } },
  JSON.parse('{"__proto__":{"type":"text"}}'),
]
const keys = [
  'model',
  'messages',
  'input',
  'prompt',
  'tools',
  'functions',
  'tool_choice',
  'response_format',
  'stop',
  'n',
  'max_tokens',
  'stream_options',
  'logprobs',
  'top_logprobs',
  'reasoning',
  'reasoning_effort',
  'text',
  'system',
  'thinking',
  'output_config',
  'contents',
  'generationConfig',
  'systemInstruction',
  'toolConfig',
  'inferenceConfig',
  'outputConfig',
  'additionalModelRequestFields',
  'content',
  'requests',
  'options',
  'format',
  'images',
  'texts',
  'inputs',
  'embedding_types',
  'query',
  'documents',
  'top_n',
  'inputText',
  'textGenerationConfig',
  'voice',
  'dimensions',
  'metadata',
  'instructions',
  'stop_sequences',
]
const fine = {
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'hello' }],
  contents: [{ parts: [{ text: 'x' }] }],
  input: 'x',
  prompt: 'x',
  query: 'x',
  documents: ['x'],
  texts: ['x'],
  voice: 'x',
  text: 'x',
  content: { parts: [{ text: 'x' }] },
  requests: [{ content: { parts: [{ text: 'x' }] } }],
  dimensions: 4,
  output_dimension: 8,
}

for (const provider of providers) {
  t.test(`${provider.id}: values of wrong types are rejected or accepted [LLM-18]`, async t => {
    // Multipart forms are not JSON, and speech generates megabytes; both have separate tests.
    for (const route of provider.routes.filter(
      ({ method, op }) => method === 'POST' && op !== 'transcribe' && op !== 'speech',
    )) {
      for (const key of keys) {
        for (const value of values) {
          const error = await answer(provider, route, { ...fine, [key]: value })
          if (error !== null)
            t.fail(
              `${route.path} ${key}=${JSON.stringify(value)}: ${error instanceof Error ? error.stack : String(error)}`,
            )
        }
      }
      t.equal(await answer(provider, route, fine), null, route.path)
    }
  })
}
