/** The plugin `rate-limit`: a rate-limit service that gateways ask before they forward a request. */
import { definePlugin } from 'svc/plugin'
import type {} from '../gateway-services/types.ts'
import type {} from '../grpc/types.ts'
import type {} from '../probe/types.ts'
import { Domains, type RateLimitOptions } from './config/domains.ts'
import { Counters, ownerOf } from './counters.ts'
import { DECIDE } from './decide.ts'
import { RATE_LIMIT_HEADER } from './fault-entry.ts'
import { RATE_LIMIT_SERVICE, registerGrpc } from './grpc/service.ts'
import { registerControl } from './http/control.ts'
import { RATE_LIMIT_CATEGORY, registerRoutes } from './http/routes.ts'
import { Limiter } from './limiter.ts'
import { RateLimiter } from './rate-limiter.ts'

export default definePlugin<RateLimitOptions>({
  title: 'Rate-limit service',
  description: 'Counts requests for gateways, over gRPC and HTTP, with the configuration of the reference service.',
  paths: ['/rate-limit', '/_svc/rate-limits'],
  section: 'rate_limit',
  buildsOn: ['gateway-services'],
  uses: ['grpc', 'probe'],
  categories: [{ name: RATE_LIMIT_CATEGORY, rank: 246 }],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      files: {
        type: 'array',
        maxItems: 100,
        default: [],
        description:
          'Files and folders with the YAML of the reference service, one domain a file, relative to `svc.yaml`.',
        items: { type: 'string', minLength: 1, maxLength: 1000 },
      },
      domains: {
        type: 'array',
        maxItems: 100,
        default: [],
        description: 'Domains in the same form: `domain` and `descriptors`.',
        items: { type: 'object' },
      },
      headers: {
        type: 'boolean',
        default: true,
        description:
          'Whether answers have `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` for the response.',
      },
    },
  },
  async register(app, svc) {
    svc.use('probe.upstream')?.ignore('/rate-limit')
    const domains = new Domains(svc)
    const counters = new Counters(svc)
    const grpc = svc.use('grpc.services')
    const service = svc.use('gateway-services.services')!.service({
      name: 'ratelimit',
      grpc: grpc === undefined ? null : RATE_LIMIT_SERVICE,
      http: '/rate-limit/json',
      header: RATE_LIMIT_HEADER,
      policies: [],
      decide: DECIDE,
    })
    const limiter = new RateLimiter(
      svc,
      service,
      new Limiter(svc, { domains, counters, hasHeaders: svc.options.headers }),
    )
    if (grpc !== undefined) registerGrpc(svc, grpc, { service, limiter })
    registerRoutes(app, svc, limiter)
    registerControl(app, svc, { domains, counters })
    svc.use('testing.resets').register({
      name: 'rate_limits',
      reset: session =>
        counters.clear(session === null ? null : ownerOf(session.header, session.key, svc.config.publicMode)),
    })
    await domains.load()
  },
})
