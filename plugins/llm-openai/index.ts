/** The OpenAI plugin: chat completions, responses, embeddings, images, audio and moderations. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import { createState } from './state.ts'
import { createWire } from './wire.ts'
import type {} from '../images/types.ts'
import type {} from '../llm/types.ts'
import type {} from './types.ts'

export default definePlugin({
  title: 'Mock LLM: OpenAI',
  description:
    'The OpenAI API on the mock LLM: chat completions, responses, embeddings, images, audio and moderations.',
  paths: ['/ai/openai', '/ai/v1'],
  buildsOn: ['llm'],
  uses: ['images'],
  familiar: [
    '/v1/chat/completions',
    '/v1/completions',
    ...['responses', 'models', 'conversations', 'files', 'uploads', 'batches'].flatMap(name => [
      `/v1/${name}`,
      `/v1/${name}/{*path}`,
    ]),
    '/v1/embeddings',
    '/v1/moderations',
    '/v1/images/generations',
    '/v1/images/edits',
    '/v1/images/variations',
    '/v1/audio/{*path}',
  ].map(path => ({ path, here: `/ai/openai${path}`, served: 'llm.root', name: 'openai' })),
  firstSteps: [{ rank: 30, path: '/ai/v1/chat/completions', body: '{"messages":[{"role":"user","content":"Hi"}]}' }],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const state = createState(svc, llm, svc.use('images.files'))
    llm.addState(session => state.clear(session))
    svc.offer('llm-openai.wire', (extras, variant) => createWire(llm.engine, state, extras, variant))
    llm.register(app, createProvider(llm.engine, state))
  },
})
