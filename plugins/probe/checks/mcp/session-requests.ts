/** Requests with which a session of MCP begins. */
import type { Facts } from '../../catalog/check.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { jsonReply, rpc, rpcResult } from '../json-rpc.ts'
import { legacyRevision, serverOf } from './revisions.ts'

/** What the upstream calls a session. */
export const SESSION = 'probe-session-0123456789'

/** The server as a client in a session has to speak to it. */
export function inSession(facts: Facts): Pick<Facts, 'mcp'> {
  return { mcp: { ...serverOf(facts), isStateless: false } }
}

/** Starts a session, whose id the upstream gives. */
export const initializes = (label: string, session: string, facts: Facts, capabilities: object = {}): RequestSpec =>
  rpc(label, 'initialize', {
    params: marker => ({
      protocolVersion: legacyRevision(facts),
      capabilities,
      clientInfo: { name: marker, version: '1' },
    }),
    script: () =>
      rpcResult(
        {
          protocolVersion: legacyRevision(facts),
          capabilities: { tools: {}, logging: {} },
          serverInfo: { name: 'probe', version: '1' },
        },
        [['Mcp-Session-Id', session]],
      ),
  })

/** What a client says before its first request; a gateway with sessions of its own may keep it. */
export const readies = (fields: readonly Field[]): RequestSpec =>
  rpc('initialized', 'notifications/initialized', {
    id: null,
    fields,
    isValid: false,
    params: marker => ({ _meta: { probe: marker } }),
    script: () => jsonReply('', { status: 202 }),
  })
