/** Owns `tools/list` and `tools/call`. */
import { isRecord } from 'svc/toolkit'
import { grantedScopes } from '../access/scope.ts'
import type { Call, MethodResult } from '../servers/call.ts'
import { HandlerContext } from '../servers/call-context.ts'
import { invalidParams, shorten, ToolFailure } from '../errors.ts'
import type { Tool } from '../registry/registry.ts'
import { runsAsTask, StartedTask } from '../tasks/start.ts'
import type { JsonObject, ToolResult } from '../types.ts'
import { renderToolResult } from '../servers/results.ts'

const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const
const PRIVATE_LIST_CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const

export function listTools(call: Call): MethodResult {
  const { server, version, params, pageSize } = call
  const shows = server.definition.filterByScope === true ? visibleTools(call) : undefined
  return {
    result: server.listsOf(call.conversation.session).page('tools', version, params.cursor, pageSize, shows),
    cache: shows ? PRIVATE_LIST_CACHE : LIST_CACHE,
  }
}

/** Those whose scope the caller has. */
function visibleTools({ server, claims, http }: Call): (name: string) => boolean {
  const granted = grantedScopes(server, claims, http.request)
  return name => {
    const scope = server.tools.get(name)?.definition.scope
    return granted === null || scope === undefined || granted.includes(scope)
  }
}

/** In every revision, invalid arguments are a tool error, so that the model can read and correct them. */
export async function callTool(call: Call): Promise<MethodResult> {
  const { name } = call.params
  if (typeof name !== 'string') throw invalidParams('Missing tool name')
  const tool = call.server.tools.get(name)
  if (!tool) throw invalidParams(`Unknown tool: ${shorten(name)}`)
  const args = readArguments(call.params.arguments)
  const context = new HandlerContext(call)
  context.log('debug', { event: 'tools/call', tool: name })
  const problem = tool.validate(args)
  if (problem === null) await call.conversation.resume(call)
  const result =
    problem === null
      ? await run(tool, args, context, call)
      : failed(`Invalid arguments for tool ${name}: ${shorten(problem)}`)
  if (result instanceof StartedTask) return { result: result.members, type: 'task' }
  return { result: await renderToolResult(result, call, context) }
}

/** Absent or null counts as no arguments. */
function readArguments(value: unknown): JsonObject {
  if (value === undefined || value === null) return {}
  if (!isRecord(value)) throw invalidParams('"arguments" must be an object')
  return value
}

async function run({ definition }: Tool, args: JsonObject, context: HandlerContext, call: Call): Promise<ToolResult> {
  try {
    if (definition.task === undefined || !runsAsTask(definition, call)) return await definition.call(args, context)
    const mayComplete = definition.task === 'optional'
    return await call.conversation.startTask(call, own => definition.call(args, own), mayComplete)
  } catch (error) {
    if (error instanceof ToolFailure) return failed(error.message)
    throw error
  }
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
