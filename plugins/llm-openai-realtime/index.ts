/** OpenAI's Realtime API on the mock LLM: sessions over WebSockets, and client secrets for browsers. */
import { definePlugin } from 'svc/plugin'
import type { CredentialRule } from '../llm/types.ts'
import type {} from '../llm-openai/types.ts'
import { ClientSecrets, createClientSecret } from './client-secrets.ts'
import { realtimeSocket, type SocketRouteOptions } from './socket-route.ts'

const BROWSERS = 'For browsers, which cannot set headers of a WebSocket'
/** Where browsers send the credential of Azure. */
const AZURE_QUERY: readonly CredentialRule[] = [
  { source: 'query api-key', query: 'api-key', description: BROWSERS },
  { source: 'query bearer', query: 'Authorization', scheme: 'Bearer', description: BROWSERS },
]

export default definePlugin({
  title: 'Mock LLM: OpenAI Realtime',
  description:
    'The Realtime API of OpenAI and Azure on the mock LLM: sessions with text, audio and tools over WebSockets.',
  paths: ['/ai/openai/v1/realtime', '/ai/v1/realtime', '/ai/azure/openai'],
  buildsOn: ['llm', 'llm-openai'],
  uses: ['llm-azure'],
  familiar: ['/v1/realtime', '/v1/realtime/client_secrets'].map(path => ({
    path,
    here: `/ai/openai${path}`,
    served: 'llm.root',
    name: 'openai',
  })),
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const wire = svc.use('llm-openai.wire')!()
    const secrets = new ClientSecrets(llm.signed('realtime client secrets'))
    const socket = (path: string, options: Pick<SocketRouteOptions, 'base' | 'modelParameter' | 'moreCredentials'>) =>
      realtimeSocket(llm.engine, wire, { path, secrets, ...options })
    llm.addRoutes(app, 'openai', [
      socket('/v1/realtime', { base: '/ai/openai', modelParameter: 'model' }),
      createClientSecret(llm.engine, { path: '/v1/realtime/client_secrets', base: '/ai/openai', secrets }),
    ])
    if (!llm.list().some(({ id }) => id === 'azure')) return
    const azure = { base: '/ai/azure', moreCredentials: AZURE_QUERY }
    llm.addRoutes(app, 'azure', [
      socket('/openai/v1/realtime', { ...azure, modelParameter: 'model' }),
      createClientSecret(llm.engine, { path: '/openai/v1/realtime/client_secrets', base: azure.base, secrets }),
      socket('/openai/realtime', { ...azure, modelParameter: 'deployment' }),
    ])
  },
})
