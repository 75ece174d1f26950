/** Finds out which revision the gateway's MCP server speaks, and what svc's tool `echo` is called there. */
import { isRecord } from 'svc/toolkit'
import type { Discovery, McpServer } from '../../catalog/check.ts'
import { Call } from '../../client/evidence.ts'
import type { ExchangeRecord } from '../../client/exchange.ts'
import type { RequestSpec } from '../../client/request.ts'
import { one } from '../builders.ts'
import { rpc, rpcAnswer, rpcResult, type RpcOptions } from '../json-rpc.ts'
import { ENVELOPE, LEGACY, sessionFields, STATELESS } from './revisions.ts'

/** What gateways put in front of names of tools ends with a character that is not a letter. */
const ECHO = /(?:^|[^a-z0-9])echo$/i
const MAX_NAME = 200
const ECHO_TOOL = {
  name: 'echo',
  description: 'Returns the message',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
}

/** A request that svc's own server answers, unless the gateway does. */
const own = (label: string, method: string, options: RpcOptions = {}): RequestSpec =>
  rpc(label, method, { noMarker: true, isValid: false, ...options })

const answerIn = (record: ExchangeRecord | undefined, index = 0): Record<string, unknown> | null => {
  const call = record?.calls[index]
  return call === undefined ? null : rpcAnswer(new Call(call, record!, []))
}

/** The result of `initialize`. */
export function initialized(
  record: ExchangeRecord | undefined,
): { revision: string; session: string | null; fields: ReturnType<typeof sessionFields> } | null {
  const result = answerIn(record)?.result
  if (!isRecord(result)) return null
  const revision = typeof result.protocolVersion === 'string' ? result.protocolVersion.slice(0, MAX_NAME) : LEGACY
  const session = new Call(record!.calls[0]!, record!, []).values('mcp-session-id')[0] ?? null
  return { revision, session, fields: sessionFields(revision, session) }
}

export const INITIALIZE = {
  protocolVersion: LEGACY,
  capabilities: {},
  clientInfo: { name: 'svc-probe', version: '1' },
}

/** Null if it is not a list of tools. */
function toolIn(answer: Record<string, unknown> | null): string | null {
  const result = answer?.result
  if (!isRecord(result) || !Array.isArray(result.tools)) return null
  const names = result.tools.flatMap(tool => (isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : []))
  const found = names.find(name => name === 'echo') ?? names.find(name => ECHO.test(name))
  return (found ?? 'echo').slice(0, MAX_NAME)
}

const learned = (mcp: McpServer): { mcp: McpServer } => ({ mcp })

export const MCP_DISCOVERY: Discovery = {
  id: 'MCP-DISCOVERY',
  attempts: [
    {
      plan: () =>
        one(
          rpc('list', 'tools/list', {
            isValid: false,
            params: marker => ({ _meta: { ...ENVELOPE, probe: marker } }),
            fields: [
              ['MCP-Protocol-Version', STATELESS],
              ['Mcp-Method', 'tools/list'],
            ],
            // In place of svc's own list, which may be kept: the lists of the checks have to arrive.
            script: () => rpcResult({ resultType: 'complete', tools: [ECHO_TOOL], ttlMs: 0, cacheScope: 'private' }),
          }),
        ),
      learn({ first }) {
        const tool = toolIn(rpcAnswer(first))
        return tool === null ? null : learned({ revision: STATELESS, isStateless: true, session: null, tool })
      },
    },
    {
      plan: () => ({
        inOrder: true,
        connections: [{ requests: [own('initialize', 'initialize', { params: () => INITIALIZE })] }],
        follow(records) {
          const server = initialized(records[0])
          if (records.length > 1 || server === null) return null
          const { fields } = server
          return {
            requests: [
              own('initialized', 'notifications/initialized', { id: null, fields }),
              own('list', 'tools/list', { id: 2, fields }),
            ],
          }
        },
      }),
      learn({ exchanges }) {
        const [first, second] = exchanges.map(({ record }) => record)
        const server = initialized(first)
        if (server === null) return null
        const { revision, session } = server
        return learned({ revision, isStateless: false, session, tool: toolIn(answerIn(second, 1)) ?? 'echo' })
      },
    },
  ],
}
