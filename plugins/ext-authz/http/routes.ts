/** `/ext-authz`: the list of policies, and the checks of gateways over HTTP. */
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  HttpError,
  readQuery,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { jsonReply, list, object, RECORD } from 'svc/toolkit'
import type { GatewayService } from '../../gateway-services/types.ts'
import type { Authorizer } from '../authorizer.ts'
import type { Policy } from '../policies/policy.ts'
import { answer, leftOutOfHttp } from './answer.ts'
import { readCarried } from './checked-request.ts'
import { configurationsFor } from './configurations.ts'

const category = 'External authorization'
const PARAMETER = { name: 'policy', in: 'path', description: 'Name of a policy', schema: { type: 'string' } } as const

const checkDescription = {
  category,
  parameters: [PARAMETER],
  description:
    'The request to check comes from `X-Forwarded-Method` and `X-Forwarded-Uri` (Traefik, Caddy, APISIX), from `X-Original-URI` or `X-Original-URL` (nginx), else from the method, path and query of the call itself (Envoy, HAProxy).',
  responses: {
    200: { description: 'Allowed: the identity headers are those of the policy' },
    400: { description: 'The checked request, or its header `X-Svc-Authz`, is invalid' },
    403: { description: 'Denied, also with other statuses: `{"error":"denied","policy","reason"}`' },
    404: { description: 'Unknown policy' },
    503: { description: 'The service fails' },
  },
} satisfies Partial<RouteDescription>

/** Where the hosts of `ext_authz.hosts` are served; other hosts do not reach it. */
export const HOST_MOUNT = '/ext-authz/.host'

const HOST_POLICY = 'header'

export interface HttpParts {
  service: GatewayService
  authorizer: Authorizer
  policies: readonly Policy[]
  hasHosts: boolean
}

export function registerChecks(app: FastifyInstance, svc: Svc<unknown>, parts: HttpParts): void {
  const { service, authorizer, policies, hasHosts } = parts
  app.get(
    '/ext-authz',
    describe({
      summary: 'List the policies, with the configuration of gateways',
      category,
      reply: jsonReply(object({ policies: list(RECORD), configuration: RECORD }), 'AuthorizationPolicies'),
      responses: { 200: { description: '`policies`, and `configuration` by gateway' } },
      examples: [{ name: 'Policies', path: '/ext-authz', expectStatus: 200 }],
    }),
    request => ({
      policies: policies.map(({ name, summary }) => ({
        name,
        summary,
        url: svc.http.url(request, `/ext-authz/${name}`),
      })),
      configuration: configurationsFor(svc.http.baseUrl(request), policies[0]!.name),
    }),
  )

  const checkBy = async (name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const policy = authorizer.policy(name)
    if (policy === undefined) throw unknownPolicy(name, parts)
    const { hasOwnQuery, ...given } = readCarried(request, svc)
    const query = hasOwnQuery ? readQuery(request) : null
    const call = {
      checked: service.checked(request, given),
      parameter: (parameter: string) => query?.get(parameter) ?? undefined,
      protocol: 'http' as const,
      principal: '',
    }
    const result = await authorizer.decide(request, policy, call, leftOutOfHttp)
    return answer(request, reply, policy.name, result, svc)
  }
  const check = (request: FastifyRequest<{ Params: { policy: string } }>, reply: FastifyReply) =>
    checkBy(request.params.policy, request, reply)

  if (hasHosts)
    for (const path of [HOST_MOUNT, `${HOST_MOUNT}/*`])
      app.all(path, (request, reply) => checkBy(HOST_POLICY, request, reply))
  app.all<{ Params: { policy: string } }>(
    '/ext-authz/:policy',
    describe({
      ...checkDescription,
      summary: 'Check a request by a policy',
      examples: [
        { name: 'Allowed', path: '/ext-authz/allow', expectStatus: 200 },
        {
          name: 'Denied, for Traefik',
          path: '/ext-authz/deny',
          headers: [
            { name: 'X-Forwarded-Method', value: 'GET' },
            { name: 'X-Forwarded-Uri', value: '/orders' },
          ],
          expectStatus: 403,
        },
      ],
    }),
    check,
  )
  app.all<{ Params: { policy: string } }>(
    '/ext-authz/:policy/*',
    describe({
      ...checkDescription,
      path: '/ext-authz/{policy}/{*path}',
      summary: 'Check a request by a policy, with its path behind that of the policy',
      parameters: [
        PARAMETER,
        { name: 'path', in: 'path', description: 'Path of the checked request', schema: { type: 'string' } },
      ],
      examples: [{ name: 'For Envoy', path: '/ext-authz/allow/orders?page=2', expectStatus: 200 }],
    }),
    check,
  )
}

function unknownPolicy(name: string, { authorizer, policies }: HttpParts): HttpError {
  return new HttpError(404, {
    error: 'unknown_policy',
    details: authorizer.unknown(name),
    policies: policies.map(policy => policy.name),
  })
}
