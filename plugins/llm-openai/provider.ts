/** The OpenAI provider: its models, and the routes of the format below `/v1`. */
import type { Engine, LlmProvider, ModelInfo } from '../llm/types.ts'
import type { OpenAiState } from './state.ts'
import { createWire } from './wire.ts'

const models: ModelInfo[] = [
  { id: 'svc-gpt' },
  { id: 'svc-gpt-fast' },
  { id: 'svc-embed', kind: 'embed' },
  { id: 'svc-echo' },
  { id: 'svc-scripted' },
  { id: 'svc-random' },
  { id: 'gpt-6-sol' },
  { id: 'gpt-5.5' },
  { id: 'gpt-5' },
  { id: 'gpt-5-mini' },
  { id: 'gpt-4.1' },
  { id: 'gpt-4o' },
  { id: 'gpt-4o-mini' },
  { id: 'text-embedding-3-small', kind: 'embed' },
  { id: 'text-embedding-3-large', kind: 'embed' },
  { id: 'omni-moderation-latest', kind: 'moderate' },
  { id: 'gpt-image-1', kind: 'image' },
  { id: 'whisper-1', kind: 'transcribe' },
  { id: 'tts-1', kind: 'speech' },
]

export function createProvider(engine: Engine, state: OpenAiState): LlmProvider {
  const wire = createWire(engine, state, undefined, { flavour: 'openai' })
  return {
    id: 'openai',
    title: 'OpenAI',
    basePath: '/ai/openai',
    aliases: { '/ai/v1': '/v1' },
    sdkPath: '/v1',
    order: 1,
    credentials: [{ source: 'bearer', scheme: 'Bearer' }],
    models,
    routes: [
      ...Object.values(wire.routes).map(route => ({ ...route, path: `/v1${route.path}` })),
      ...wire.server('/ai/openai'),
    ],
    error: (kind, facts) => ({ status: facts.status, body: wire.error(kind, facts) }),
    messages: wire.messages,
    headers: wire.headers,
    limited: wire.limited,
    finishReasons: wire.finishReasons,
    unknownModel: wire.unknownModel,
  }
}
