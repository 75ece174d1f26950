/** Header fields of calls, and what the protocol does not know. */
import { isRecord } from 'svc/toolkit'
import { fail, note, pass, skip, warn } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { each } from '../builders.ts'
import { jsonReply, rpc, rpcAnswer, rpcRequest, rpcResult } from '../json-rpc.ts'
import { STATELESS, LEGACY, CALLED, callParams, RESULT, mcpCheck, MODERN } from './mcp-check.ts'

export const MCP_HEAD = mcpCheck({
  id: 'MCP-HEAD',
  title: 'Header fields of a call',
  level: 'other-spec',
  sources: [{ spec: `MCP ${STATELESS}` }],
  page: {
    sent: 'tools/call with Mcp-Method, Mcp-Name, Mcp-Param-Text and MCP-Protocol-Version; then one whose Mcp-Name is not that of the body.',
    expected: 'The fields arrive as they are; the one that is wrong is refused or arrives as it is.',
    why: 'Servers compare the fields with the body and refuse a call whose fields were changed.',
  },
  plan: () =>
    each([
      rpc('call', 'tools/call', { params: callParams, fields: CALLED, script: () => rpcResult(RESULT) }),
      rpc('lie', 'tools/call', {
        params: callParams,
        fields: [...MODERN, ['Mcp-Method', 'tools/call'], ['Mcp-Name', 'other']],
        script: () =>
          jsonReply({ jsonrpc: '2.0', id: 1, error: { code: -32020, message: 'header mismatch' } }, { status: 400 }),
      }),
    ]),
  judge(evidence) {
    const call = evidence.call('call')
    if (call.arrival === null) return skip(`not routed: ${call.status ?? 'closed'}`)
    const wrong = CALLED.filter(([name, value]) => call.arrival!.values(name.toLowerCase()).join() !== value)
    if (wrong.length > 0) return fail(`lost or changed: ${wrong.map(([name]) => name).join(', ')}`)
    const { arrival } = evidence.call('lie')
    return arrival !== null && arrival.values('mcp-name').join() === 'echo'
      ? warn('a wrong Mcp-Name is repaired without a word')
      : pass()
  },
})

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
  plan: () =>
    each([
      rpc('method', 'x/probe', { params: marker => ({ marker }), script: () => rpcResult({ ok: true }) }),
      rpc('notification', 'notifications/x-probe', {
        id: null,
        params: marker => ({ marker }),
        script: () => jsonReply('', { status: 202 }),
      }),
      rpc('capability', 'initialize', {
        params: marker => ({
          protocolVersion: LEGACY,
          capabilities: { 'x-probe': { kept: true } },
          clientInfo: { name: marker, version: '1' },
        }),
        script: () =>
          rpcResult({ protocolVersion: LEGACY, capabilities: {}, serverInfo: { name: 'probe', version: '1' } }),
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
