/** The private key of a demo client, which is public on purpose. */
import { type FastifyInstance, HttpError } from 'svc/plugin'
import { KEY_CLIENT } from '../accounts/demo-clients.ts'
import { sendJson } from '../oauth/json-response.ts'
import type { Provider } from '../provider/provider.ts'
import { registerEndpoint } from './issuer-routes.ts'
import { CATEGORY } from './route-parts.ts'

/** Registers the route. The default issuer has no such client. */
export function registerDemoKeyRoute(app: FastifyInstance, provider: Provider): void {
  registerEndpoint(app, provider, {
    method: 'GET',
    endpoint: 'debug/keys/:client',
    isByPathOnly: true,
    description: {
      category: CATEGORY,
      summary: 'Get the private key of a demo client',
      description: `The key with which the demo client ${KEY_CLIENT} authenticates (private_key_jwt), as a JWK. It is public on purpose.`,
      parameters: [
        { name: 'client', in: 'path', description: 'Id of the client', required: true, schema: { enum: [KEY_CLIENT] } },
      ],
      responses: { 200: { description: 'The private JWK' } },
      examples: [{ name: 'Key', path: `/oauth/debug/keys/${KEY_CLIENT}`, expectStatus: 200 }],
    },
    async handle({ issuer, request, reply }) {
      const { client } = request.params as { client: string }
      if (client !== KEY_CLIENT || !issuer.settings.demo_clients)
        throw new HttpError(404, { error: 'unknown_client', client: client.slice(0, 200), clients: [KEY_CLIENT] })
      const { jwk, kid, alg } = await provider.demoClientKey()
      return sendJson(reply, { ...jwk, kid, alg, use: 'sig' })
    },
  })
}
