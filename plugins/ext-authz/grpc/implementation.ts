/** `envoy.service.auth.v3.Authorization/Check`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { status, type ServerUnaryCall } from '@grpc/grpc-js'
import type { AnyRequest, Svc } from 'svc/plugin'
import type { GatewayService } from '../../gateway-services/types.ts'
import type { GrpcImplementation, GrpcServices } from '../../grpc/types.ts'
import type { Authorizer } from '../authorizer.ts'
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

type Answer = CheckResponse | Buffer
type Check = ServerUnaryCall<CheckRequest, Answer>

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
      Check: services.unary((call: Check, request) => check(svc, services, parts, { call, request })),
    },
  }
}

interface Asked {
  call: Check
  request: AnyRequest
}

async function check(
  svc: Svc<{ default: string }>,
  services: GrpcServices,
  { service, authorizer }: CheckParts,
  { call, request }: Asked,
): Promise<Answer> {
  const { attributes } = call.request
  const extensions = new Map((attributes?.context_extensions ?? []).map(({ key, value }) => [key, value]))
  const named = extensions.get(POLICY) ?? call.metadata.get(POLICY_METADATA)[0]?.toString() ?? svc.options.default
  const policy = authorizer.policy(named)
  if (policy === undefined) throw services.failure(status.INVALID_ARGUMENT, authorizer.unknown(named))
  const policyCall: PolicyCall = {
    checked: service.checked(request, readChecked(call.request, svc.http.clientIp(request))),
    parameter: name => extensions.get(name),
    protocol: 'grpc',
    principal: attributes?.source?.principal ?? '',
  }
  const result = await authorizer.decide(request, policy, policyCall, () => [])
  if (result.kind === 'decided') return decidedResponse(policy.name, result.decision)
  if (result.kind === 'malformed') return MALFORMED
  if (result.kind === 'error' && result.isAnswered) return errorResponse(policy.name, result.status, result.reason)
  const { code, details } = service.grpcFailure(request, result)
  throw services.failure(code, details)
}
