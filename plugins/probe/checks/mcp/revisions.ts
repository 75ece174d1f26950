/** Requests of MCP as the revision of the gateway's server wants them. */
import type { Facts, McpServer } from '../../catalog/check.ts'
import type { Field } from '../../client/response-parser.ts'

/** The revision without sessions, and the newest one with them. */
export const STATELESS = '2026-07-28'
export const LEGACY = '2025-11-25'
/** `_meta` of a request in the revision without sessions. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** Of servers about which nothing was found out. */
const ASSUMED: McpServer = { revision: STATELESS, isStateless: true, session: null, tool: 'echo' }

export function serverOf({ mcp }: Pick<Facts, 'mcp'>): McpServer {
  return mcp ?? ASSUMED
}

/** The newest revision with sessions that the server speaks. */
export function legacyRevision(facts: Pick<Facts, 'mcp'>): string {
  const { isStateless, revision } = serverOf(facts)
  return isStateless ? LEGACY : revision
}

/** Fields of every request; `method` is that of JSON-RPC. */
export function requestFields(facts: Pick<Facts, 'mcp'>, method: string): Field[] {
  const { isStateless, revision, session } = serverOf(facts)
  return isStateless
    ? [
        ['MCP-Protocol-Version', STATELESS],
        ['Mcp-Method', method],
      ]
    : sessionFields(revision, session)
}

/** Fields of a request in a session. */
export function sessionFields(revision: string, session: string | null): Field[] {
  return [['MCP-Protocol-Version', revision], ...(session === null ? [] : ([['Mcp-Session-Id', session]] as const))]
}

/** Fields of a call of the tool, the argument `text` included where the revision has fields for arguments. */
export function callFields(facts: Pick<Facts, 'mcp'>): Field[] {
  const { isStateless, tool } = serverOf(facts)
  const common = requestFields(facts, 'tools/call')
  return isStateless ? [...common, ['Mcp-Name', tool], ['Mcp-Param-Text', 'probe']] : common
}

/** Parameters of a call of the tool. `progressToken`: it asks for progress. */
export function callParams(facts: Pick<Facts, 'mcp'>, progressToken?: string): (marker: string) => object {
  const { isStateless, tool } = serverOf(facts)
  const meta = { ...(isStateless ? ENVELOPE : {}), ...(progressToken === undefined ? {} : { progressToken }) }
  return marker => ({
    name: tool,
    arguments: { message: marker, ...(isStateless ? { text: 'probe' } : {}) },
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  })
}
