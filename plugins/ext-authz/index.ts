/** The plugin `ext-authz`: an authorization service that gateways ask before they forward a request. */
import { definePlugin } from 'svc/plugin'
import { HOST_SCHEMA, unknownName } from 'svc/toolkit'
import type {} from '../gateway-services/types.ts'
import type {} from '../grpc/types.ts'
import type {} from '../probe/types.ts'
import { Authorizer } from './authorizer.ts'
import { DECIDE } from './decide.ts'
import { AUTHZ_HEADER } from './fault-header.ts'
import { AUTHORIZATION, registerGrpc } from './grpc/service.ts'
import { registerLogin } from './http/login.ts'
import { HOST_MOUNT, registerChecks } from './http/routes.ts'
import { registerOpa } from './opa/routes.ts'
import { headerPolicy } from './policies/header.ts'
import { jwtPolicy } from './policies/jwt.ts'
import { opaPolicy } from './policies/opa.ts'
import type { Policy } from './policies/policy.ts'
import { createSessionCookies, sessionPolicy } from './policies/session.ts'
import { allowPolicy, apiKeyPolicy, denyPolicy, randomPolicy } from './policies/simple.ts'

interface Options {
  default: string
  hosts: string[]
}

export default definePlugin<Options>({
  title: 'External authorization',
  description: 'Decides about requests that gateways ask about, over HTTP and gRPC, by policies, rules and headers.',
  paths: ['/ext-authz', '/opa'],
  section: 'ext_authz',
  buildsOn: ['gateway-services'],
  uses: ['grpc', 'identity', 'probe'],
  categories: [{ name: 'External authorization', rank: 245 }],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      default: { type: 'string', default: 'allow', description: 'The policy of gRPC calls that name none.' },
      hosts: {
        type: 'array',
        maxItems: 20,
        default: [],
        description: 'On these hosts every path is the policy `header`.',
        items: HOST_SCHEMA,
      },
    },
  },
  register(app, svc) {
    svc.use('probe.upstream')?.ignore('/ext-authz', '/opa')
    const cookies = createSessionCookies(svc)
    const own: Policy[] = [
      allowPolicy,
      denyPolicy,
      headerPolicy,
      jwtPolicy(svc),
      apiKeyPolicy,
      sessionPolicy(cookies),
      randomPolicy(svc),
    ]
    const policies = [...own, opaPolicy(own)]
    const names = policies.map(({ name }) => name)
    const grpc = svc.use('grpc.services')
    const service = svc.use('gateway-services.services')!.service({
      name: 'authz',
      grpc: grpc === undefined ? null : AUTHORIZATION,
      http: '/ext-authz',
      header: AUTHZ_HEADER,
      policies: names,
      decide: DECIDE,
    })
    const authorizer = new Authorizer(svc, service, policies)
    if (!names.includes(svc.options.default)) {
      const { message, remedy } = unknownName('policy', svc.options.default, names)
      svc.reportLoadError({ at: 'ext_authz.default', message, remedy })
    }
    for (const [index, host] of svc.options.hosts.entries())
      svc.serveHost(host, HOST_MOUNT, { rank: 70, at: `ext_authz.hosts[${index}]` })
    if (grpc !== undefined) registerGrpc(svc, grpc, { service, authorizer })
    registerOpa(app, svc, { service, authorizer })
    registerLogin(app, svc, cookies)
    registerChecks(app, svc, { service, authorizer, policies, hasHosts: svc.options.hosts.length > 0 })
  },
})
