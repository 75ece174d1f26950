/** The Cohere plugin: chat, embeddings, rerank and tokens. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import { chatV1 } from './chat-v1.ts'
import { rerank } from './rerank.ts'
import type { LlmRoute } from '../llm/types.ts'
import type {} from '../llm-openai/types.ts'
import type {} from './types.ts'

export default definePlugin({
  title: 'Mock LLM: Cohere',
  description:
    'The Cohere API on the mock LLM: chat, embeddings, rerank and tokens, also in the OpenAI format. Its rerank also serves Jina and Voyage clients.',
  paths: ['/ai/cohere', '/ai/v1/rerank'],
  familiar: ['/v2/chat', '/v2/embed', '/v2/rerank', '/v1/rerank', '/compatibility/v1/{*path}'].map(path => ({
    path,
    here: `/ai/cohere${path}`,
    served: 'llm.root',
    name: 'cohere',
  })),
  buildsOn: ['llm'],
  uses: ['llm-openai'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    svc.offer('llm-cohere.wire', {
      chatV1: chatV1(llm.engine) as LlmRoute,
      rerank: rerank(llm.engine, 'v2') as LlmRoute,
    })
    llm.register(app, createProvider(llm.engine, svc.use('llm-openai.wire')?.()))
  },
})
