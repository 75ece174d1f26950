/** Reads from a call who makes it: agent, tenant and protocol version. */
import type { Metadata } from '@grpc/grpc-js'
import type { A2aCaller, A2aCore } from '../a2a/types.ts'
import type { GrpcServices } from '../grpc/types.ts'

const DEFAULT_AGENT = 'echo'

/** `tenant` of the request is `<agent>` or `<tenant>/<agent>`; the metadata `x-svc-a2a-agent` names the agent instead. */
export function callerOf(
  call: { metadata: Metadata },
  tenantField: unknown,
  { core, services, signal }: { core: A2aCore; services: GrpcServices; signal: AbortSignal },
): A2aCaller | null {
  const request = services.requestOf(call)
  if (request === undefined) return null
  const text = (name: string): string => call.metadata.get(name)[0]?.toString().trim() ?? ''
  const [first = '', second] = (typeof tenantField === 'string' ? tenantField : '').split('/', 2)
  const isTenant = second !== undefined || core.tenants.includes(first)
  const named = text('x-svc-a2a-agent') || (second ?? (isTenant ? '' : first))
  const version = text('a2a-version')
  return {
    request,
    agent: named || DEFAULT_AGENT,
    tenant: isTenant ? first : null,
    signal,
    ...(version === '' ? {} : { version }),
  }
}
