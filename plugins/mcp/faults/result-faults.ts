/** Faults in the result of a method. */
import { isRecord } from 'svc/toolkit'
import type { HttpExchange } from '../http/exchange.ts'
import type { JsonObject } from '../types.ts'
import type { ResultKind } from '../protocol/fault-kinds.ts'

const WRONG_VERSION = '2099-01-01'
const LOOP_CURSOR = 'c3ZjLWxvb3A'

/** The text of a response with the fault. Responses without a result stay as they are. */
export function withResultFault(kind: ResultKind, text: string, exchange: HttpExchange): string {
  const response = JSON.parse(text) as JsonObject
  if (kind === 'wrong-version') exchange.reply.header('MCP-Protocol-Version', WRONG_VERSION)
  if (!isRecord(response.result)) return text
  return JSON.stringify({ ...response, result: faultyResult(kind, response.result) })
}

function faultyResult(kind: ResultKind, result: JsonObject): JsonObject {
  const tools = Array.isArray(result.tools) ? (result.tools as unknown[]).filter(tool => isRecord(tool)) : []
  switch (kind) {
    case 'schema-v2':
      return { ...result, tools: tools.map(tool => changedTool(tool)) }
    case 'tools-gone':
      return { ...result, tools: [] }
    case 'cursor-loop':
      return { ...result, nextCursor: LOOP_CURSOR }
    case 'wrong-structured':
      return { ...result, structuredContent: { unexpected: null } }
    case 'wrong-version':
      return wrongVersion(result)
  }
}

function changedTool(tool: JsonObject): JsonObject {
  const schema = isRecord(tool.inputSchema) ? tool.inputSchema : { type: 'object' }
  return {
    ...tool,
    description: `${typeof tool.description === 'string' ? tool.description : ''} (v2)`,
    inputSchema: {
      ...schema,
      properties: { ...(isRecord(schema.properties) ? schema.properties : {}), context: { type: 'string' } },
      required: [...(Array.isArray(schema.required) ? (schema.required as unknown[]) : []), 'context'],
    },
  }
}

function wrongVersion(result: JsonObject): JsonObject {
  return {
    ...result,
    ...('protocolVersion' in result ? { protocolVersion: WRONG_VERSION } : {}),
    ...('supportedVersions' in result ? { supportedVersions: [WRONG_VERSION] } : {}),
    _meta: {
      ...(isRecord(result._meta) ? result._meta : {}),
      'io.modelcontextprotocol/protocolVersion': WRONG_VERSION,
    },
  }
}
