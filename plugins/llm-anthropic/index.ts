/** The Anthropic plugin: messages, token counting and models. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import { createWire } from './wire.ts'
import type {} from '../llm/types.ts'
import type {} from '../llm-openai/types.ts'
import type {} from './types.ts'

export default definePlugin({
  title: 'Mock LLM: Anthropic',
  description:
    'The Anthropic Messages API on the mock LLM: messages, token counting and models, also with the paths of Vertex AI and in the OpenAI format.',
  paths: ['/ai/anthropic'],
  familiar: ['/v1/messages', '/v1/messages/count_tokens'].map(path => ({ path, here: `/ai/anthropic${path}` })),
  buildsOn: ['llm'],
  uses: ['llm-openai'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    svc.offer('llm-anthropic.wire', options => createWire(llm.engine, options))
    llm.register(app, createProvider(llm, svc.use('llm-openai.wire')?.()))
  },
})
