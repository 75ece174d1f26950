/** The Anthropic plugin: messages, token counting and models. */
import { definePlugin, type FamiliarRequest } from 'svc/plugin'
import { createProvider } from './provider.ts'
import { createWire } from './wire.ts'
import type {} from '../llm/types.ts'
import type {} from '../llm-openai/types.ts'
import type {} from './types.ts'

const AT_ROOT = { served: 'llm.root', name: 'anthropic' }

/** Clients of Anthropic name the version, or have a key that is no bearer token. */
function isForAnthropic({ header }: FamiliarRequest): boolean {
  const hasToken = /^bearer /i.test(header('authorization') ?? '')
  return !hasToken && (header('anthropic-version') !== undefined || header('x-api-key') !== undefined)
}

export default definePlugin({
  title: 'Mock LLM: Anthropic',
  description:
    'The Anthropic Messages API on the mock LLM: messages, token counting and models, also with the paths of Vertex AI and in the OpenAI format.',
  paths: ['/ai/anthropic'],
  familiar: [
    ...['/v1/messages', '/v1/messages/{*path}', '/v1/projects/{p}/locations/{l}/publishers/anthropic/{*path}'].map(
      path => ({ path, here: `/ai/anthropic${path}`, ...AT_ROOT }),
    ),
    // Other vendors have these too.
    ...['/v1/models', '/v1/models/{*path}', '/v1/files', '/v1/files/{*path}'].map(path => ({
      path,
      here: `/ai/anthropic${path}`,
      ...AT_ROOT,
      when: isForAnthropic,
    })),
  ],
  buildsOn: ['llm'],
  uses: ['llm-openai'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    svc.offer('llm-anthropic.wire', options => createWire(llm.engine, options))
    llm.register(app, createProvider(llm, svc.use('llm-openai.wire')?.()))
  },
})
