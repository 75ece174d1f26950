/** Parts of all hostile servers: their definition, lists and results that svc does not check, and query parameters. */
import { HttpError, type FastifyRequest, type Svc } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { CallContext, JsonObject, McpServers, ServerDefinition } from '../mcp/types.ts'

export interface HostileParts {
  servers: McpServers
  svc: Svc
}

/** Adds a server. `what` is the value of `X-Svc-Mcp-Hostile`, and `attack` a sentence about what it does. */
export function addServer(
  { servers }: HostileParts,
  {
    what,
    attack,
    ...definition
  }: Omit<ServerDefinition, 'name' | 'title' | 'description' | 'hostile'> & { what: string; attack: string },
): string {
  const name = `hostile-${what}`
  servers.server({
    ...definition,
    name,
    title: `Hostile: ${what}`,
    description: `Hostile on purpose. ${attack}`,
    hostile: what,
  })
  return name
}

/** Tools as they are sent. `list` returns a page, and `call` the result of a tool. */
export interface RawTools {
  list(params: JsonObject, context: CallContext): JsonObject | Promise<JsonObject>
  call(name: string, args: JsonObject, context: CallContext): JsonObject | Promise<JsonObject>
}

/** Replaces the methods of tools, so that they can have names and schemas that svc would refuse. */
export function replaceTools({ servers }: HostileParts, server: string, { list, call }: RawTools): void {
  servers.method(server, 'tools/list', async (params, context) => withCache(await list(params, context), context))
  servers.method(server, 'tools/call', (params, context) =>
    call(String(params.name), isRecord(params.arguments) ? params.arguments : {}, context),
  )
}

/** Lists of the stateless revision say how long they may be cached. */
export function withCache(result: JsonObject, { version }: CallContext): JsonObject {
  return version === '2026-07-28' ? { ...result, ttlMs: 0, cacheScope: 'private' } : result
}

export function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] }
}

export function unknownTool(name: string, context: CallContext): Error {
  return context.rpcError(-32602, `Unknown tool: ${name.slice(0, 200)}`)
}

/** A whole number in the query. Throws 400 `invalid_parameter`. */
export function wholeQuery(request: FastifyRequest, name: string, min: number, max: number, fallback: number): number {
  const { [name]: value } = request.query as Record<string, unknown>
  if (value === undefined) return fallback
  if (typeof value === 'string' && /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max)
    return Number(value)
  throw invalid(name, `expected a whole number from ${min} to ${max}`)
}

/** A word in the query. Throws 400 `invalid_parameter`. */
export function wordQuery<Word extends string>(
  request: FastifyRequest,
  name: string,
  words: readonly Word[],
  fallback: Word,
): Word {
  const { [name]: value } = request.query as Record<string, unknown>
  if (value === undefined) return fallback
  const known = words.find(word => word === value)
  if (known === undefined) throw invalid(name, `expected one of ${words.join(', ')}`)
  return known
}

function invalid(parameter: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_parameter', parameter, details })
}
