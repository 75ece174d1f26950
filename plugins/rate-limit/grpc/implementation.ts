/** `envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Metadata, status, type sendUnaryData, type ServerUnaryCall, type ServiceError } from '@grpc/grpc-js'
import type { AnyRequest, Svc } from 'svc/plugin'
import type { GrpcImplementation, GrpcServices } from '../../grpc/types.ts'
import { problemOf } from '../check-call.ts'
import { clientError } from '../client-error.ts'
import { callOf, type RateLimitRequest, type RateLimitResponse, responseOf } from './messages.ts'
import { type LimitParts, RATE_LIMIT_SERVICE } from './service.ts'

type Failure = Pick<ServiceError, 'code' | 'details' | 'metadata'>
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
      ShouldRateLimit: async (call: Call, reply: sendUnaryData<RateLimitResponse>): Promise<void> => {
        const request = services.requestOf(call)
        if (request === undefined) return reply(failure(status.CANCELLED, 'the call has ended'))
        const answer = await decide(parts, call.request, request)
        if ('failure' in answer) reply(answer.failure)
        else reply(null, answer.message)
      },
    },
  }
}

type Answer = { message: RateLimitResponse } | { failure: Failure }

async function decide(
  { service, limiter }: LimitParts,
  message: RateLimitRequest,
  request: AnyRequest,
): Promise<Answer> {
  const call = callOf(message)
  if (typeof call === 'string') return { failure: failure(status.INVALID_ARGUMENT, call) }
  const problem = problemOf(call)
  if (problem !== null)
    return { failure: failure(problem.isOfService ? status.UNKNOWN : status.INVALID_ARGUMENT, problem.message) }
  try {
    const result = await limiter.decide(request, call)
    if (result.kind === 'decided') return { message: responseOf(result.decision) }
    if (result.kind === 'malformed') throw new Error('the service has no malformed answer')
    const { code, details } = service.grpcFailure(request, result)
    return { failure: failure(code, details) }
  } catch (error) {
    const details = clientError(error)
    if (details === null) throw error
    return { failure: failure(status.INVALID_ARGUMENT, details) }
  }
}

function failure(code: status, details: string): Failure {
  return { code, details, metadata: new Metadata() }
}
