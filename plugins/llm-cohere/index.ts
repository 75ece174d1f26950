/** The door of the Cohere format: chat, embeddings, rerank, tokens. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import type {} from '../llm/types.ts'

export default definePlugin({
  title: 'Mock LLM: Cohere',
  description: 'The wire format of the Cohere API, over the shared engine; its rerank also serves Jina and Voyage style clients.',
  paths: ['/ai/cohere', '/ai/v1/rerank'],
  buildsOn: ['llm'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    llm.register(app, createProvider(llm.engine))
  },
})
