/** `agentgateway.dev.ext_mcp.ExtMcp`: `CheckRequest` and `CheckResponse`. */
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { status, type handleUnaryCall, type ServerUnaryCall } from '@grpc/grpc-js'
import type { AnyRequest, Json, Svc } from 'svc/plugin'
import { isTextNestedWithin, parseExactJson, writeJson } from 'svc/toolkit'
import type { GrpcImplementation, GrpcServices } from '../../grpc/types.ts'
import { type McpCall, messageOf, type Phase } from '../call.ts'
import { headersOf, type McpMessage, type McpMessageResult, policyOf, resultOf } from './messages.ts'
import { EXT_MCP, type McpParts } from './service.ts'

const DEFAULT_POLICY = 'testbox'
const POLICY_METADATA = 'svc-policy'
const MAX_DEPTH = 100

type Call = ServerUnaryCall<McpMessage, McpMessageResult>

export async function openExtMcp(
  svc: Svc<unknown>,
  services: GrpcServices,
  parts: McpParts,
): Promise<GrpcImplementation> {
  const descriptorSet = join(svc.folder, '..', '..', 'proto', 'ext-mcp.binpb')
  const definitions = await svc.shared('definitions', () => services.definitions(readFileSync(descriptorSet)))
  const handler = (phase: Phase): handleUnaryCall<McpMessage, McpMessageResult> =>
    services.unary((call: Call, request) => check(svc, services, parts, { call, phase, request }))
  return {
    definition: definitions.service(EXT_MCP),
    reflection: definitions.descriptorSet,
    handlers: { CheckRequest: handler('request'), CheckResponse: handler('response') },
  }
}

interface Asked {
  call: Call
  phase: Phase
  request: AnyRequest
}

async function check(
  { http }: Svc<unknown>,
  services: GrpcServices,
  { service, checker }: McpParts,
  { call: { request: message, metadata }, phase, request }: Asked,
): Promise<McpMessageResult> {
  const policy = checker.policy(policyOf(message) ?? metadata.get(POLICY_METADATA)[0]?.toString() ?? DEFAULT_POLICY)
  if (typeof policy === 'string') throw services.failure(status.INVALID_ARGUMENT, policy)
  const member = phase === 'request' ? 'mcp_request' : 'mcp_response'
  const read = readValue(message[member])
  if (read === null)
    return { error: { code: 'INVALID', reason: `${member} is not JSON of at most ${MAX_DEPTH} levels` } }
  const { method, service_names: names } = message
  const checked = service.checked(request, {
    method: 'POST',
    url: '/',
    scheme: 'http',
    clientIp: http.clientIp(request),
    rawHeaders: headersOf(message),
    body: Buffer.from(writeJson(messageOf({ phase, method, value: read.value }))),
  })
  const call: McpCall = { phase, services: names, method, value: read.value, checked }
  const result = await checker.decide(request, policy, call)
  if (result.kind === 'decided') return resultOf(result.decision)
  if (result.kind === 'malformed') throw new Error('the answer is malformed by its decision')
  const { code, details } = service.grpcFailure(request, result)
  throw services.failure(code, details)
}

/** Null for bytes that are not JSON. Without bytes, the value is undefined. */
function readValue(bytes: Buffer | undefined): { value: Json | undefined } | null {
  if (bytes === undefined || bytes.length === 0) return { value: undefined }
  const text = isUtf8(bytes) ? bytes.toString() : ''
  if (!isTextNestedWithin(text, MAX_DEPTH)) return null
  try {
    return { value: parseExactJson(text) }
  } catch {
    return null
  }
}
