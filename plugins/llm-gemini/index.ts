/** The Gemini plugin: content generation, embeddings, token counting and models. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import { readRequest } from './request.ts'
import { createState } from './state.ts'
import { checkSchema } from './validation/schema.ts'
import type {} from '../llm/types.ts'
import type {} from '../llm-openai/types.ts'
import type {} from './types.ts'

const AT_ROOT = { served: 'llm.root', name: 'gemini' }

export default definePlugin({
  title: 'Mock LLM: Gemini',
  description:
    'The Gemini API on the mock LLM: content generation, embeddings, token counting and models, also with the paths of Vertex AI and in the OpenAI format.',
  paths: ['/ai/gemini'],
  familiar: [
    ...[
      '/v1beta/{*path}',
      '/upload/v1beta/{*path}',
      '/download/v1beta/{*path}',
      '/v1/projects/{p}/locations/{l}/publishers/google/{*path}',
      '/v1/projects/{p}/locations/{l}/endpoints/{*path}',
      '/v1beta1/projects/{*path}',
    ].map(path => ({ path, here: `/ai/gemini${path}`, ...AT_ROOT })),
    {
      path: '/v1/models/{model}:{verb}',
      here: '/ai/gemini/v1/models/{model}:{verb}',
      ...AT_ROOT,
      // Names of other models have colons too.
      when: ({ method }) => method === 'POST',
    },
  ],
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
