/** The door of the Ollama format: chat, generate, embeddings, the list of local models. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import type {} from '../llm/types.ts'

export default definePlugin({
  title: 'Mock LLM: Ollama',
  description: 'The wire format of the Ollama API, over the shared engine.',
  paths: ['/ai/ollama'],
  buildsOn: ['llm'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    llm.register(app, createProvider(llm.engine))
  },
})
