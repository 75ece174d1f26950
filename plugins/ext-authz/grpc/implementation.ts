/** `envoy.service.auth.v3.Authorization/Check`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Metadata, status, type sendUnaryData, type ServerUnaryCall, type ServiceError } from '@grpc/grpc-js'
import type { AnyRequest, Svc } from 'svc/plugin'
import type { GatewayService } from '../../gateway-services/types.ts'
import type { GrpcImplementation, GrpcServices } from '../../grpc/types.ts'
import type { Authorizer, CheckResult } from '../authorizer.ts'
import type { PolicyCall } from '../policies/policy.ts'
import { decidedResponse, errorResponse } from './answer.ts'
import { readChecked } from './checked-request.ts'
import type { CheckRequest, CheckResponse } from './messages.ts'
import { AUTHORIZATION } from './service.ts'

export interface CheckParts {
  service: GatewayService
  authorizer: Authorizer
}

/** Bytes that can't be decoded: a field number that does not end. */
const MALFORMED = Buffer.alloc(16, 0xff)
const POLICY = 'policy'
const POLICY_METADATA = 'svc-policy'

type Failure = Pick<ServiceError, 'code' | 'details' | 'metadata'>
type Check = ServerUnaryCall<CheckRequest, CheckResponse | Buffer>

export async function openAuthorization(
  svc: Svc<{ default: string }>,
  services: GrpcServices,
  parts: CheckParts,
): Promise<GrpcImplementation> {
  const descriptorSet = join(svc.folder, '..', '..', 'proto', 'ext-authz.binpb')
  const definitions = await svc.shared('definitions', () => services.definitions(readFileSync(descriptorSet)))
  const { Check: method } = definitions.service(AUTHORIZATION)
  const { responseSerialize } = method!
  return {
    definition: {
      Check: {
        ...method!,
        // Bytes are sent unchanged, for the answer that can't be decoded.
        responseSerialize: message => (Buffer.isBuffer(message) ? message : responseSerialize(message)),
      },
    },
    reflection: definitions.descriptorSet,
    handlers: {
      Check: async (call: Check, reply: sendUnaryData<CheckResponse | Buffer>): Promise<void> => {
        const request = services.requestOf(call)
        if (request === undefined) return reply(failure(status.CANCELLED, 'the call has ended'))
        const answer = await check(svc, parts, call, request)
        if ('failure' in answer) reply(answer.failure)
        else reply(null, answer.message)
      },
    },
  }
}

type Answer = { message: CheckResponse | Buffer } | { failure: Failure }

async function check(
  svc: Svc<{ default: string }>,
  { service, authorizer }: CheckParts,
  call: Check,
  request: AnyRequest,
): Promise<Answer> {
  const { attributes } = call.request
  const extensions = new Map((attributes?.context_extensions ?? []).map(({ key, value }) => [key, value]))
  const named = extensions.get(POLICY) ?? call.metadata.get(POLICY_METADATA)[0]?.toString() ?? svc.options.default
  const policy = authorizer.policy(named)
  if (policy === undefined) return { failure: failure(status.INVALID_ARGUMENT, authorizer.unknown(named)) }
  const policyCall: PolicyCall = {
    checked: service.checked(request, readChecked(call.request, svc.http.clientIp(request))),
    parameter: name => extensions.get(name),
    protocol: 'grpc',
    principal: attributes?.source?.principal ?? '',
  }
  try {
    return answerOf(await authorizer.decide(request, policy, policyCall, () => []), policy.name, request, service)
  } catch (error) {
    const { code, body } = error as { code?: string; body?: { details?: string } }
    if (code !== 'SVC_HTTP_ERROR') throw error
    return { failure: failure(status.INVALID_ARGUMENT, body?.details ?? 'invalid request') }
  }
}

function answerOf(result: CheckResult, policy: string, request: AnyRequest, service: GatewayService): Answer {
  if (result.kind === 'decided') return { message: decidedResponse(policy, result.decision) }
  if (result.kind === 'malformed') return { message: MALFORMED }
  if (result.kind === 'error' && result.isAnswered)
    return { message: errorResponse(policy, result.status, result.reason) }
  const { code, details } = service.grpcFailure(request, result)
  return { failure: failure(code, details) }
}

function failure(code: status, details: string): Failure {
  return { code, details, metadata: new Metadata() }
}
