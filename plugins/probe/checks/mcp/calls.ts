/** Header fields of calls, and what the protocol does not know. */
import { isRecord } from 'svc/toolkit'
import { fail, note, pass, warn, type Facts } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { Field } from '../../client/response-parser.ts'
import { each } from '../builders.ts'
import { arrived, jsonReply, rpc, rpcAnswer, rpcRequest, rpcResult } from '../json-rpc.ts'
import { mcpCheck, RESULT, unreached } from './mcp-check.ts'
import { callFields, callParams, legacyRevision, requestFields, serverOf, STATELESS } from './revisions.ts'

const REVISION = /^\d{4}-\d{2}-\d{2}$/

/** Fields of a call whose value is not that of the body, or of the client. */
function wrongFields(call: Call, facts: Facts): string[] {
  const params = rpcRequest(call)?.params
  // A gateway may have names of its own for tools: the field has to agree with the body.
  const name = isRecord(params) && typeof params.name === 'string' ? params.name : null
  return callFields(facts)
    .filter(([field]) => field !== 'Mcp-Session-Id')
    .filter(([field, value]) => {
      const expected = field === 'Mcp-Name' ? (name ?? value) : value
      return call.arrival!.values(field.toLowerCase()).join() !== expected
    })
    .map(([field]) => field)
}

export const MCP_HEAD = mcpCheck({
  id: 'MCP-HEAD',
  title: 'Header fields of a call',
  level: 'other-spec',
  sources: [{ spec: `MCP ${STATELESS}` }],
  page: {
    sent: 'tools/call with Mcp-Method, Mcp-Name, Mcp-Param-Text and MCP-Protocol-Version; then one whose Mcp-Name is not that of the body. A gateway that speaks only older revisions gets MCP-Protocol-Version alone.',
    expected: 'The fields arrive as they are; the one that is wrong is refused or arrives as it is.',
    why: 'Servers compare the fields with the body and refuse a call whose fields were changed.',
  },
  plan: facts =>
    each([
      rpc('call', 'tools/call', {
        params: callParams(facts),
        fields: callFields(facts),
        script: () => rpcResult(RESULT),
      }),
      ...(serverOf(facts).isStateless
        ? [
            rpc('lie', 'tools/call', {
              params: callParams(facts),
              fields: [...requestFields(facts, 'tools/call'), ['Mcp-Name', 'other']],
              script: () =>
                jsonReply(arrived({ jsonrpc: '2.0', error: { code: -32020, message: 'header mismatch' } }), {
                  status: 400,
                }),
            }),
          ]
        : []),
    ]),
  judge(evidence, facts) {
    const call = evidence.call('call')
    if (call.arrival === null) return unreached(call, facts)
    const { revision } = serverOf(facts)
    const spoken = call.arrival.values('mcp-protocol-version').join()
    if (spoken !== revision && REVISION.test(spoken)) return note(`speaks MCP ${spoken} with the upstream`, { spoken })
    const wrong = wrongFields(call, facts)
    if (wrong.length > 0) return fail(`lost or changed: ${wrong.join(', ')}`)
    const lie = evidence.calls.find(({ label }) => label === 'lie')
    return lie?.arrival != null && lie.arrival.values('mcp-name').join() === serverOf(facts).tool
      ? warn('a wrong Mcp-Name is repaired without a word')
      : pass()
  },
})

/** Extensions need no fields, unless the gateway speaks only revisions with sessions. */
const extensionFields = (facts: Facts, method: string): Field[] =>
  serverOf(facts).isStateless ? [] : requestFields(facts, method)

export const MCP_EXT = mcpCheck({
  id: 'MCP-EXT',
  title: 'Unknown methods',
  level: 'observation',
  sources: [],
  page: {
    sent: 'The method x/probe, an unknown notification, and an unknown capability.',
    expected: 'What the gateway does is reported.',
    why: 'Extensions of the protocol need gateways that let them pass.',
  },
  plan: facts =>
    each([
      rpc('method', 'x/probe', {
        params: marker => ({ marker }),
        fields: extensionFields(facts, 'x/probe'),
        script: () => rpcResult({ ok: true }),
      }),
      rpc('notification', 'notifications/x-probe', {
        id: null,
        params: marker => ({ marker }),
        fields: extensionFields(facts, 'notifications/x-probe'),
        script: () => jsonReply('', { status: 202 }),
      }),
      rpc('capability', 'initialize', {
        params: marker => ({
          protocolVersion: legacyRevision(facts),
          capabilities: { 'x-probe': { kept: true } },
          clientInfo: { name: marker, version: '1' },
        }),
        script: () =>
          rpcResult({
            protocolVersion: legacyRevision(facts),
            capabilities: {},
            serverInfo: { name: 'probe', version: '1' },
          }),
      }),
    ]),
  judge(evidence) {
    const wordOf = (call: Call): string => {
      if (call.count > 0) return 'passes'
      const error = rpcAnswer(call)?.error
      return isRecord(error) ? `${String(error.code)} by the gateway` : `${call.status ?? 'closed'} by the gateway`
    }
    const capability = evidence.call('capability')
    const params = rpcRequest(capability)?.params
    const isKept = isRecord(params) && isRecord(params.capabilities) && 'x-probe' in params.capabilities
    const values = {
      method: wordOf(evidence.call('method')),
      notification: wordOf(evidence.call('notification')),
      capability: capability.count === 0 ? wordOf(capability) : isKept ? 'passes' : 'removed',
    }
    return note(
      Object.entries(values)
        .map(([what, word]) => `${what} ${word}`)
        .join(', '),
      values,
    )
  },
})
