/** The Gemini plugin: content generation, embeddings, token counting and models. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import { readRequest } from './request.ts'
import { createState } from './state.ts'
import { checkSchema } from './validation/schema.ts'
import type {} from '../llm/types.ts'
import type {} from '../llm-openai/types.ts'
import type {} from './types.ts'

export default definePlugin({
  title: 'Mock LLM: Gemini',
  description:
    'The Gemini API on the mock LLM: content generation, embeddings, token counting and models, also with the paths of Vertex AI and in the OpenAI format.',
  paths: ['/ai/gemini'],
  familiar: ['/v1beta/{*path}'].map(path => ({ path, here: `/ai/gemini${path}` })),
  buildsOn: ['llm'],
  uses: ['llm-openai'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const state = createState(svc, llm)
    llm.addState(session => state.clear(session))
    svc.offer('llm-gemini.request', readRequest)
    svc.offer('llm-gemini.schema', checkSchema)
    llm.register(app, createProvider(state, svc.use('llm-openai.wire')?.()))
  },
})
