/** The Ollama provider. */
import type { Engine, LlmProvider, MountedFormat, ProviderRoute } from '../llm/types.ts'
import type { AnthropicWire } from '../llm-anthropic/types.ts'
import type { OpenAiModelRouteName, OpenAiWire } from '../llm-openai/types.ts'
import { embed, embeddings } from './embed.ts'
import { chat, finishReasons, generate } from './generation.ts'
import { models, ps, root, show, showVersion, tags } from './models.ts'
import { withReplies } from 'svc/toolkit'
import { REPLIES } from './replies.ts'

const OPENAI_ROUTES: readonly OpenAiModelRouteName[] = [
  'chat',
  'completions',
  'responses',
  'embeddings',
  'models',
  'model',
]
const EXAMPLE_MODEL = 'llama3.2'
/** Ollama has no default model. */
const MODELS: Partial<MountedFormat> = {
  defaultModel: null,
  exampleModels: { 'svc-gpt': EXAMPLE_MODEL, 'svc-embed': EXAMPLE_MODEL, 'svc-claude': EXAMPLE_MODEL },
}

/** The routes below `/v1` need the plugins of their formats. */
export function createProvider(engine: Engine, openai?: OpenAiWire, anthropic?: AnthropicWire): LlmProvider {
  return {
    id: 'ollama',
    telemetry: {
      sampling: ({ options, temperature, top_p: topP }) => ({
        temperature: engine.json.own(options, 'temperature') ?? temperature,
        topP: engine.json.own(options, 'top_p') ?? topP,
      }),
    },
    title: 'Ollama',
    basePath: '/ai/ollama',
    order: 6,
    credentials: [{ source: 'bearer', scheme: 'Bearer' }],
    models,
    // A name without a tag refers to `latest`, or to any existing tag.
    knowsModel: id => models.some(model => model.id.split(':', 1)[0] === id),
    routes: withReplies<ProviderRoute>(
      [
        chat(engine),
        generate(engine),
        embed(engine),
        embeddings(engine),
        show(engine),
        tags(engine),
        ps(),
        showVersion(),
        root(),
      ],
      REPLIES,
    ),
    mounts: [
      ...(openai === undefined ? [] : [openai.mount('/v1', OPENAI_ROUTES, MODELS)]),
      ...(anthropic === undefined ? [] : [anthropic.mount('', ['messages'], MODELS)]),
    ],
    error: (_kind, { status, message }) => ({ status, body: { error: message } }),
    limited: (_refusal, { status }) => ({ status, body: { error: 'too many requests' } }),
    // The server drops what does not fit.
    contextError: ({ promptTokens, window, isShortened }) =>
      window !== null && promptTokens > window && !isShortened ? 'drop' : 'cut',
    unknownModel: "model '{model}' not found",
    finishReasons,
    streamError: ({ message }) => ({ data: { error: message } }),
  }
}
