/** Converts the tools of the control plane to MCP tools. */
import type { Svc } from 'svc/plugin'
import type { ResolvedControlTool } from 'svc/toolkit'
import type { CallContext, ToolDefinition, ToolResult } from '../mcp/types.ts'
import { type OperationResult, runOperation } from './operation.ts'

/** Characters of the text of a result. The structured result is complete. */
const MAX_TEXT = 64 * 1024
const POLL_MS = 500

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
    ...(tool.follow === null ? {} : { task: 'optional' }),
    async call(args, context) {
      const { request } = context.http
      const first = await runOperation(svc, request, tool.request(args))
      // Without a task the client asks for the state of the work itself.
      if (tool.follow === null || context.task === null || first.status >= 400) return toResult(first)
      return toResult(await waitForWork(first, { follow: tool.follow, stop: tool.stop }, context, svc))
    },
  }
}

/** The first response that shows that the work has ended, or that it can't be followed. A canceled task stops the work. */
async function waitForWork(
  first: OperationResult,
  { follow, stop }: { follow: NonNullable<ResolvedControlTool['follow']>; stop: ResolvedControlTool['stop'] },
  context: CallContext,
  svc: Pick<Svc, 'http'>,
): Promise<OperationResult> {
  let latest = first
  for (let call = follow(first.body); call !== null; call = follow(latest.body)) {
    try {
      await context.sleep(POLL_MS)
    } catch (error) {
      const ending = stop?.(latest.body) ?? null
      if (ending) await runOperation(svc, context.http.request, ending)
      throw error
    }
    latest = await runOperation(svc, context.http.request, call)
    if (latest.status >= 400) break
  }
  return latest
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
