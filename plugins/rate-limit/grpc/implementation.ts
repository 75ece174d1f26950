/** `envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { status, type ServerUnaryCall } from '@grpc/grpc-js'
import type { AnyRequest, Svc } from 'svc/plugin'
import type { GrpcImplementation, GrpcServices } from '../../grpc/types.ts'
import { problemOf } from '../check-call.ts'
import { clientError } from '../client-error.ts'
import { callOf, type RateLimitRequest, type RateLimitResponse, responseOf } from './messages.ts'
import { type LimitParts, RATE_LIMIT_SERVICE } from './service.ts'

type Call = ServerUnaryCall<RateLimitRequest, RateLimitResponse>

export async function openRateLimit(
  svc: Svc<unknown>,
  services: GrpcServices,
  parts: LimitParts,
): Promise<GrpcImplementation> {
  const descriptorSet = join(svc.folder, '..', '..', 'proto', 'rate-limit.binpb')
  const definitions = await svc.shared('definitions', () => services.definitions(readFileSync(descriptorSet)))
  return {
    definition: definitions.service(RATE_LIMIT_SERVICE),
    reflection: definitions.descriptorSet,
    handlers: {
      ShouldRateLimit: services.unary(({ request: message }: Call, request) =>
        decide(services, parts, message, request),
      ),
    },
  }
}

async function decide(
  services: GrpcServices,
  { service, limiter }: LimitParts,
  message: RateLimitRequest,
  request: AnyRequest,
): Promise<RateLimitResponse> {
  const call = callOf(message)
  if (typeof call === 'string') throw services.failure(status.INVALID_ARGUMENT, call)
  const problem = problemOf(call)
  if (problem !== null)
    throw services.failure(problem.isOfService ? status.UNKNOWN : status.INVALID_ARGUMENT, problem.message)
  const result = await limiter.decide(request, call).catch((error: unknown) => {
    const details = clientError(error)
    throw details === null ? error : services.failure(status.INVALID_ARGUMENT, details)
  })
  if (result.kind === 'decided') return responseOf(result.decision)
  if (result.kind === 'malformed') throw new Error('the service has no malformed answer')
  const { code, details } = service.grpcFailure(request, result)
  throw services.failure(code, details)
}
