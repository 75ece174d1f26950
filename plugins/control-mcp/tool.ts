/** Converts the tools of the control plane to MCP tools. */
import type { ResolvedControlTool, Svc } from 'svc/plugin'
import type { ToolDefinition, ToolResult } from '../mcp/types.ts'
import { type OperationResult, runOperation } from './operation.ts'

/** Characters of the text of a result. The structured result is complete. */
const MAX_TEXT = 64 * 1024

const OUTPUT_SCHEMA = {
  type: 'object',
  properties: { status: { type: 'integer', description: 'HTTP status' }, body: { description: 'JSON, or a text' } },
  required: ['status', 'body'],
}

export function toMcpTool(tool: ResolvedControlTool, server: string, svc: Pick<Svc, 'http'>): ToolDefinition {
  const { name, description, inputSchema, annotations, scope } = tool
  return {
    name,
    description,
    inputSchema,
    outputSchema: OUTPUT_SCHEMA,
    annotations,
    scope,
    servers: [server],
    fixture: true,
    async call(args, { http }) {
      return toResult(await runOperation(svc, http.request, tool.request(args)))
    },
  }
}

function toResult({ status, body, text }: OperationResult): ToolResult {
  return {
    content: [{ type: 'text', text: cut(text === '' ? `Status ${status}.` : text) }],
    structuredContent: { status, body },
    ...(status >= 400 ? { isError: true } : {}),
  }
}

function cut(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}\n[Cut after ${MAX_TEXT} of ${text.length} characters; the structured result is complete.]`
}
