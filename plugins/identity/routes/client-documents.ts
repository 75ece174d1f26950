/** Client metadata documents of this instance, good and bad ones, as ids of clients without registration. */
import { type FastifyInstance, type FastifyReply, HttpError } from 'svc/plugin'
import { publicJwk } from '../keys/imported-keys.ts'
import { sendJson } from '../oauth/json-response.ts'
import type { Provider } from '../provider/provider.ts'
import { type IssuerRequest, registerEndpoint } from './issuer-routes.ts'
import { CATEGORY } from './route-parts.ts'

const NO_CACHE = { 'Cache-Control': 'no-cache' }
const SLOW_MS = 5000

type SendDocument = (asked: IssuerRequest & { id: string }, provider: Provider) => FastifyReply | Promise<FastifyReply>

const cli = (id: string): Record<string, unknown> => ({
  client_id: id,
  client_name: 'svc demo command line',
  redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})
const json = (reply: FastifyReply, value: unknown): FastifyReply => sendJson(reply, value, NO_CACHE)

/** By name. */
const DOCUMENTS: Record<string, SendDocument> = {
  cli: ({ id, reply }) => json(reply, cli(id)),
  web: async ({ id, reply }, { demoClientKey }) =>
    json(reply, {
      client_id: id,
      client_name: 'svc demo web application',
      redirect_uris: ['http://localhost:3000/callback'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [publicJwk(await demoClientKey())] },
    }),
  mismatch: ({ id, reply }) => json(reply, cli(`${id}?other`)),
  secret: ({ id, reply }) => json(reply, { ...cli(id), client_secret: 'public' }),
  huge: ({ id, reply }) => json(reply, { ...cli(id), padding: 'x'.repeat(6000) }),
  html: ({ reply }) =>
    reply
      .headers({ ...NO_CACHE, 'Content-Type': 'text/html; charset=utf-8' })
      .send('<!doctype html><title>Client</title>'),
  missing: ({ reply }) => json(reply.code(404), { error: 'not_found' }),
  redirect: ({ reply }) =>
    reply
      .code(302)
      .headers({ ...NO_CACHE, Location: 'cli.json' })
      .send(),
  slow: async ({ id, request, reply }, { svc }) => {
    await svc.http.delay(request, SLOW_MS)
    return json(reply, cli(id))
  },
  'no-redirects': ({ id, reply }) => json(reply, { ...cli(id), redirect_uris: [] }),
}

/** Registers the documents. */
export function registerClientDocumentRoute(app: FastifyInstance, provider: Provider): void {
  registerEndpoint(app, provider, {
    method: 'GET',
    endpoint: 'clients/:document',
    isByPathOnly: true,
    description: {
      category: CATEGORY,
      takes: 'documents',
      summary: 'Get a client metadata document',
      description:
        'The URL of `cli.json` or `web.json` is the id of a client that needs no registration. The other documents are wrong, and an authorization server must refuse them.',
      parameters: [
        {
          name: 'document',
          in: 'path',
          required: true,
          description: 'Name of the document',
          schema: { enum: Object.keys(DOCUMENTS).map(name => `${name}.json`) },
        },
      ],
      responses: {
        200: { description: 'The document' },
        302: { description: 'The document `redirect.json`' },
      },
      examples: [{ name: 'Command line', path: '/oauth/clients/cli.json', expectStatus: 200 }],
    },
    handle(asked) {
      const { document } = asked.request.params as { document: string }
      const name = document.endsWith('.json') ? document.slice(0, -'.json'.length) : ''
      if (!Object.hasOwn(DOCUMENTS, name))
        throw new HttpError(404, {
          error: 'unknown_document',
          document: document.slice(0, 200),
          documents: Object.keys(DOCUMENTS).map(known => `${known}.json`),
        })
      return DOCUMENTS[name]!({ ...asked, id: `${asked.url}/clients/${document}` }, provider)
    },
  })
}
