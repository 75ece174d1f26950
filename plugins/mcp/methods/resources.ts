/** Owns `resources/list`, `resources/templates/list` and `resources/read`. */
import type { CacheHint, Call, MethodResult } from '../servers/call.ts'
import { HandlerContext } from '../servers/call-context.ts'
import { CODES, invalidParams, RpcError, shorten } from '../errors.ts'
import { readResource } from '../servers/results.ts'
import type { FoundResource, Server } from '../servers/server.ts'

export function listResources(call: Call): MethodResult {
  return {
    result: call.server
      .listsOf(call.conversation.session)
      .page('resources', call.version, call.params.cursor, call.pageSize),
    cache: { ttlMs: 60_000, cacheScope: 'public' },
  }
}

export function listTemplates(call: Call): MethodResult {
  return {
    result: call.server
      .listsOf(call.conversation.session)
      .page('resourceTemplates', call.version, call.params.cursor, call.pageSize),
    cache: { ttlMs: 300_000, cacheScope: 'public' },
  }
}

export async function readResourceMethod(call: Call): Promise<MethodResult> {
  const uri = readUri(call)
  const resource = requireResource(call, uri)
  await call.conversation.resume(call)
  const contents = await readResource(resource, uri, new HandlerContext(call))
  return { result: { contents: [contents] }, cache: cacheHint(resource, call.server) }
}

/** Throws -32602 if `params.uri` is not a string. */
export function readUri(call: Call): string {
  const { uri } = call.params
  if (typeof uri !== 'string') throw invalidParams('Missing resource uri')
  return uri
}

/** Throws if the server has no such resource: -32602 in the stateless revision, -32002 in legacy revisions. */
export function requireResource(call: Call, uri: string): FoundResource {
  const resource = call.server.findResource(uri)
  if (resource) return resource
  throw resourceNotFound(call, uri)
}

export function resourceNotFound({ version }: Call, uri: string): RpcError {
  const code = version.isStateless ? CODES.invalidParams : CODES.resourceNotFound
  return new RpcError(code, `Resource not found: ${shorten(uri)}`, { data: { uri } })
}

function cacheHint({ definition }: FoundResource, server: Server): CacheHint {
  return {
    ttlMs: definition.ttlMs ?? 60_000,
    cacheScope: definition.isPrivate && server.auth !== 'open' ? 'private' : 'public',
  }
}
