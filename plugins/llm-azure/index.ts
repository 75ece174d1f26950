/** The Azure OpenAI plugin: the OpenAI format with deployments and content filter results. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import type {} from '../llm/types.ts'
import type {} from '../llm-anthropic/types.ts'
import type {} from '../llm-openai/types.ts'

export default definePlugin({
  title: 'Mock LLM: Azure OpenAI',
  description: 'The Azure OpenAI API on the mock LLM: deployments, api-version and content filter results.',
  paths: ['/ai/azure'],
  familiar: ['/openai/{*path}', '/anthropic/v1/{*path}', '/models/chat/completions', '/models/embeddings'].map(
    path => ({ path, here: `/ai/azure${path}`, served: 'llm.root', name: 'azure' }),
  ),
  buildsOn: ['llm', 'llm-openai'],
  uses: ['llm-anthropic'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const createWire = svc.use('llm-openai.wire')!
    llm.register(
      app,
      createProvider(llm.engine, createWire, svc.use('llm-anthropic.wire')?.({ platform: 'anthropic' })),
    )
  },
})
