/** Owns `a2a.core`: the operations of protocol version 1.0 for bindings of other plugins. */
import type { A2a } from '../a2a.ts'
import { makeCall } from '../calls/call.ts'
import { A2aError, detailsOf, toA2aError } from '../protocol/errors.ts'
import { METHODS_V1 } from './json-rpc.ts'
import { perform } from '../operations/perform.ts'
import type { A2aCaller, A2aCore, A2aOutcome, JsonObject } from '../types.ts'
import { parseVersion, wrongVersion } from '../protocol/version.ts'
import { v1 } from '../wire/v1.0/wire.ts'

export function createCore(a2a: A2a): A2aCore {
  return {
    tenants: a2a.tenants,
    async call(method, params, caller) {
      const facts = { extensions: '' }
      try {
        return await run(a2a, method, { params, caller, facts })
      } catch (caught) {
        const error = toA2aError(caught, caller.tenant)
        const { reason, message, kind } = error
        return { kind: 'error', error: { reason, message, status: kind.status, details: detailsOf(error) }, ...facts }
      }
    },
  }
}

async function run(
  a2a: A2a,
  method: string,
  { params, caller, facts }: { params: JsonObject; caller: A2aCaller; facts: { extensions: string } },
): Promise<A2aOutcome> {
  const version = parseVersion(caller.version ?? '1.0')
  if (version.protocolVersion !== '1.0') throw wrongVersion(version)
  const agent = a2a.agents.get(caller.agent)
  const isKnownTenant = caller.tenant === null || a2a.tenants.includes(caller.tenant)
  if (!isKnownTenant) throw new A2aError('METHOD_NOT_FOUND', 'unknown tenant')
  if (!agent)
    throw new A2aError('UNKNOWN_AGENT', `unknown agent "${caller.agent.slice(0, 100)}"`, {
      metadata: { agents: a2a.agents.ids().join(',') },
    })
  const operation = Object.hasOwn(METHODS_V1, method) ? METHODS_V1[method] : undefined
  if (!operation) throw new A2aError('METHOD_NOT_FOUND', `unknown method "${method.slice(0, 100)}"`)
  const { request, tenant, signal, extensions } = caller
  const call = makeCall(a2a, agent, v1, request, {
    binding: 'other',
    tenant,
    signal: () => signal,
    ...(extensions === undefined ? {} : { extensions }),
  })
  facts.extensions = call.extensions.join(', ')
  const outcome = await perform(operation, call, params)
  if (outcome.kind === 'redirect') throw new Error('redirects exist over HTTP only')
  if (outcome.kind === 'result') return { kind: 'result', result: outcome.result, ...facts }
  const { open } = outcome
  return {
    kind: 'stream',
    ...facts,
    open: receiver =>
      open({ event: ({ body }) => receiver.event(body), end: () => receiver.end(), cut: () => receiver.cut() }),
  }
}
