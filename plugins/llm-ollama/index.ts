/** The Ollama plugin: chat, generate, embeddings and models. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import type {} from '../llm/types.ts'
import type {} from '../llm-anthropic/types.ts'
import type {} from '../llm-openai/types.ts'

export default definePlugin({
  title: 'Mock LLM: Ollama',
  description:
    'The Ollama API on the mock LLM: chat, generate, embeddings and models, also in the OpenAI format, and messages of the Anthropic format.',
  paths: ['/ai/ollama'],
  familiar: ['chat', 'generate', 'embed', 'embeddings', 'show', 'tags', 'ps', 'version'].map(name => ({
    path: `/api/${name}`,
    here: `/ai/ollama/api/${name}`,
    served: 'llm.root',
    name: 'ollama',
  })),
  buildsOn: ['llm'],
  uses: ['llm-openai', 'llm-anthropic'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    llm.register(
      app,
      createProvider(
        llm.engine,
        svc.use('llm-openai.wire')?.(undefined, { flavour: 'ollama-openai', isLenient: true }),
        svc.use('llm-anthropic.wire')?.(),
      ),
    )
  },
})
