/** The plugin for the Anthropic format: messages, token counting, models. */
import { definePlugin } from 'svc/plugin'
import { createPromptCache } from './prompt-cache.ts'
import { createProvider } from './provider.ts'
import { createMessages } from './messages.ts'
import type {} from '../llm/types.ts'
import type {} from './types.ts'

export default definePlugin({
  title: 'Mock LLM: Anthropic',
  description: 'The wire format of the Anthropic Messages API, over the shared engine.',
  paths: ['/ai/anthropic'],
  buildsOn: ['llm'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const cache = createPromptCache(svc, llm.engine)
    svc.offer('llm-anthropic.wire', options => createMessages(llm.engine, cache, options))
    llm.register(app, createProvider(llm.engine, cache))
  },
})
