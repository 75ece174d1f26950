/** The plugin for the Ollama format: chat, generate, embeddings, the list of local models. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import type {} from '../llm/types.ts'
import type {} from '../llm-openai/types.ts'

export default definePlugin({
  title: 'Mock LLM: Ollama',
  description:
    "The wire format of the Ollama API, over the shared engine, and the part of OpenAI's that Ollama serves.",
  paths: ['/ai/ollama'],
  buildsOn: ['llm'],
  uses: ['llm-openai'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    llm.register(app, createProvider(llm.engine, svc.use('llm-openai.wire')?.()))
  },
})
