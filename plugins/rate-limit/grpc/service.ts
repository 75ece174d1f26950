/** Adds the gRPC service; its implementation is loaded with the first call. */
import type { Svc } from 'svc/plugin'
import type { GatewayService } from '../../gateway-services/types.ts'
import type { GrpcServices } from '../../grpc/types.ts'
import type { RateLimiter } from '../rate-limiter.ts'

export const RATE_LIMIT_SERVICE = 'envoy.service.ratelimit.v3.RateLimitService'

export interface LimitParts {
  service: GatewayService
  limiter: RateLimiter
}

export function registerGrpc(svc: Svc<unknown>, services: GrpcServices, parts: LimitParts): void {
  services.service({
    name: RATE_LIMIT_SERVICE,
    methods: ['ShouldRateLimit'],
    open: async () => (await import('./implementation.ts')).openRateLimit(svc, services, parts),
  })
}
