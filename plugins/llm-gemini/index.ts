/** The plugin for the Gemini format: content generation, embeddings, token counting, models. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import type {} from '../llm/types.ts'

export default definePlugin({
  title: 'Mock LLM: Gemini',
  description: 'The wire format of the Gemini API, over the shared engine.',
  paths: ['/ai/gemini'],
  buildsOn: ['llm'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    llm.register(app, createProvider(llm.engine))
  },
})
