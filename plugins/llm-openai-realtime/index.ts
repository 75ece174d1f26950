/** OpenAI's Realtime API on the mock LLM: sessions over WebSockets, and client secrets for browsers. */
import { definePlugin } from 'svc/plugin'
import type { CredentialRule } from '../llm/types.ts'
import type {} from '../llm-openai/types.ts'
import { ClientSecrets, createClientSecret } from './client-secrets.ts'
import { realtimeSocket } from './socket-route.ts'

/** Where browsers send the credential of Azure. */
const AZURE_QUERY: readonly CredentialRule[] = [
  { source: 'query api-key', query: 'api-key', description: 'For browsers, which cannot set headers of a WebSocket' },
]

export default definePlugin({
  title: 'Mock LLM: OpenAI Realtime',
  description:
    'The Realtime API of OpenAI and Azure on the mock LLM: sessions with text, audio and tools over WebSockets.',
  paths: ['/ai/openai/v1/realtime', '/ai/v1/realtime', '/ai/azure/openai'],
  buildsOn: ['llm', 'llm-openai'],
  uses: ['llm-azure'],
  familiar: ['/v1/realtime', '/v1/realtime/client_secrets'].map(path => ({ path, here: `/ai/openai${path}` })),
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const wire = svc.use('llm-openai.wire')!()
    const secrets = new ClientSecrets(() => svc.secret('client-secrets'))
    const add = (format: string, versioned: string, more: Parameters<typeof llm.addRoutes>[2] = []): void => {
      const base = `/ai/${format}`
      llm.addRoutes(app, format, [
        realtimeSocket(llm.engine, wire, { path: `${versioned}/realtime`, base, secrets, modelParameter: 'model' }),
        createClientSecret(llm.engine, { path: `${versioned}/realtime/client_secrets`, base, secrets }),
        ...more,
      ])
    }
    add('openai', '/v1')
    if (!llm.list().some(({ id }) => id === 'azure')) return
    add('azure', '/openai/v1', [
      realtimeSocket(llm.engine, wire, {
        path: '/openai/realtime',
        base: '/ai/azure',
        secrets,
        modelParameter: 'deployment',
        moreCredentials: AZURE_QUERY,
      }),
    ])
  },
})
