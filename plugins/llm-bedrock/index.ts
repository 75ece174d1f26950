/** The Bedrock plugin: Converse, InvokeModel, streaming and token counting. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import type {} from '../guardrails/types.ts'
import type {} from '../llm/types.ts'
import type {} from '../llm-anthropic/types.ts'
import type {} from '../llm-cohere/types.ts'
import type {} from '../llm-openai/types.ts'

export default definePlugin({
  title: 'Mock LLM: Bedrock',
  description:
    'The Amazon Bedrock Runtime API on the mock LLM: Converse, InvokeModel with the formats of the model families, guardrails, and the OpenAI format.',
  paths: ['/ai/bedrock'],
  familiar: ['/model/{*path}', '/guardrail/{*path}'].map(path => ({
    path,
    here: `/ai/bedrock${path}`,
    served: 'llm.root',
    name: 'bedrock',
  })),
  buildsOn: ['llm'],
  uses: ['llm-anthropic', 'llm-openai', 'llm-cohere', 'guardrails'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const openai = svc.use('llm-openai.wire')?.()
    llm.register(
      app,
      createProvider(
        llm.engine,
        {
          anthropic: svc.use('llm-anthropic.wire')?.({ idPrefix: 'msg_bdrk_', platform: 'bedrock' }).routes.messages,
          openai: openai?.routes.chat,
          images: openai?.routes.images,
          cohere: svc.use('llm-cohere.wire'),
        },
        svc.use('guardrails.bedrock'),
        openai,
      ),
    )
  },
})
