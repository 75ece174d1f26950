/** Registers endpoints for all issuers: below `/oauth` for the default one, below `/oauth/i/{issuer}` for the others. */
import {
  type CoreFailure,
  describe,
  type ErrorForm,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  HttpError,
  type RouteDescription,
  type RouteExample,
} from 'svc/plugin'
import type { Issuer } from '../issuers/issuer.ts'
import { namedIssuer } from '../issuers/named-issuer.ts'
import { NO_STORE, TEMPORARILY_UNAVAILABLE } from '../oauth/errors.ts'
import type { Provider } from '../provider/provider.ts'

/** A request to an issuer. */
export interface IssuerRequest {
  issuer: Issuer
  /** The identifier of the issuer for this request. */
  url: string
  request: FastifyRequest
  reply: FastifyReply
}

/** An endpoint of every issuer. */
export interface Endpoint {
  method: 'GET' | 'POST'
  /** Below the issuer, such as `token`. */
  endpoint: string
  description: RouteDescription
  handle(request: IssuerRequest): FastifyReply | Promise<FastifyReply>
  /** Only for issuers by path. */
  isByPathOnly?: boolean
}

/** The issuer in the examples of routes by path. */
const EXAMPLE_ISSUER = 'full'
const ISSUER_PARAMETER = {
  name: 'issuer',
  in: 'path',
  description: 'Name of an issuer; `GET /_svc/identity` lists them',
  required: true,
  schema: { type: 'string' },
} as const

/** Registers an endpoint for the default issuer and for the issuers by path. */
export function registerEndpoint(
  app: FastifyInstance,
  provider: Provider,
  { method, endpoint, description: given, handle, isByPathOnly = false }: Endpoint,
): void {
  const description = method === 'POST' ? { ...given, errorForm } : given
  if (!isByPathOnly)
    app.route({
      method,
      url: `/oauth/${endpoint}`,
      ...describe(description),
      handler: (request, reply) =>
        handle({ issuer: provider.issuers.default, url: provider.issuers.default.url(request), request, reply }),
    })
  app.route({
    method,
    url: `/oauth/i/:issuer/${endpoint}`,
    ...describe(byPath(description)),
    handler: async (request, reply) => {
      const issuer = await requestedIssuer(request, provider)
      return handle({ issuer, url: namedIssuer(request, issuer.url(request)), request, reply })
    },
  })
}

function errorForm({ kind, body }: CoreFailure): ReturnType<ErrorForm> {
  return kind === 'unavailable' ? { body: TEMPORARILY_UNAVAILABLE, headers: NO_STORE } : { body }
}

/** The issuer that the path names; throws a 404 that lists all issuers. */
export async function requestedIssuer(request: FastifyRequest, provider: Provider): Promise<Issuer> {
  const { issuer: name } = request.params as { issuer: string }
  const issuer = name === provider.issuers.default.name ? undefined : await provider.issuers.find(name)
  if (issuer !== undefined) return issuer
  throw new HttpError(404, {
    error: 'unknown_issuer',
    issuer: name.slice(0, 200),
    issuers: await provider.tokens.names(),
  })
}

/** The description of the same endpoint below `/oauth/i/{issuer}`. */
function byPath(description: RouteDescription): RouteDescription {
  const { path: _path, summary, parameters = [], examples, responses = {}, ...rest } = description
  return {
    ...rest,
    summary: `${summary} (issuer by path)`,
    parameters: [ISSUER_PARAMETER, ...parameters],
    responses: { ...responses, 404: { description: '`unknown_issuer`, with the names of all issuers' } },
    examples: examples.map(
      (example): RouteExample => ({
        ...example,
        path: example.path.replace('/oauth/', `/oauth/i/${EXAMPLE_ISSUER}/`),
      }),
    ),
  }
}
