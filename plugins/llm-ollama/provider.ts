/** Ollama as a provider. */
import type { Engine, LlmProvider } from '../llm/types.ts'
import { embed, embeddings } from './embed.ts'
import { chat, finishWords, generate } from './generation.ts'
import { models, ps, root, show, showVersion, tags } from './models.ts'

export function createProvider(engine: Engine): LlmProvider {
  return {
    id: 'ollama',
    title: 'Ollama',
    basePath: '/ai/ollama',
    order: 6,
    credentials: [{ source: 'bearer', scheme: 'Bearer' }],
    models,
    // A name without a tag means `latest`, or whatever tag there is.
    knowsModel: (id) => models.some((model) => model.id.split(':', 1)[0] === id),
    routes: [chat(engine), generate(engine), embed(engine), embeddings(engine), show(engine), tags(engine), ps(), showVersion(), root()],
    error: (_kind, { status, message }) => ({ status, body: { error: message } }),
    unknownModel: "model '{model}' not found",
    finishWords,
    streamError: ({ message }) => ({ data: { error: message } }),
  }
}
