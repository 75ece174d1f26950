/** The Ollama provider. */
import type { Engine, LlmProvider, ProviderRoute } from '../llm/types.ts'
import type { OpenAiWire } from '../llm-openai/types.ts'
import { embed, embeddings } from './embed.ts'
import { chat, finishReasons, generate } from './generation.ts'
import { isOpenAiPath, openAiRoutes } from './openai.ts'
import { models, ps, root, show, showVersion, tags } from './models.ts'
import { withReplies } from 'svc/toolkit'
import { REPLIES } from './replies.ts'

/** The routes below `/v1` need the plugin of the OpenAI format. */
export function createProvider(engine: Engine, wire?: OpenAiWire): LlmProvider {
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
        ...(wire === undefined ? [] : openAiRoutes(engine, wire)),
      ],
      REPLIES,
    ),
    error: (kind, facts) => ({
      status: facts.status,
      body: wire !== undefined && isOpenAiPath(facts.path) ? wire.error(kind, facts) : { error: facts.message },
    }),
    limited: (refusal, facts) =>
      wire !== undefined && isOpenAiPath(facts.path)
        ? wire.limited(refusal, facts)
        : { status: facts.status, body: { error: 'too many requests' } },
    // The server drops what does not fit.
    contextError: ({ promptTokens, window, isShortened }) =>
      window !== null && promptTokens > window && !isShortened ? 'drop' : 'cut',
    unknownModel: "model '{model}' not found",
    finishReasons,
    streamError: ({ message }) => ({ data: { error: message } }),
  }
}
