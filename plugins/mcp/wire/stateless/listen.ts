/** Owns `subscriptions/listen`: a stream of the changes that the client requested. */
import { isRecord } from 'svc/toolkit'
import { MAX_PENDING_BYTES, MAX_SUBSCRIPTIONS } from '../../bounds.ts'
import { invalidParams, RpcError, transportError } from '../../errors.ts'
import type { HttpExchange } from '../../http/exchange.ts'
import { notificationText, resultText, type RpcRequest } from '../../protocol/json-rpc.ts'
import type { Server } from '../../servers/server.ts'
import type { JsonObject, ListName } from '../../types.ts'
import { principalOf } from '../../access/principal.ts'
import { TASKS } from '../../extensions.ts'
import type { Envelope } from './envelope.ts'
import { resultMeta } from './results.ts'

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId'

interface Honored {
  lists: Set<ListName>
  uris: Set<string>
}

/** Opens the stream. Throws 406 if the client does not accept streams, -32602 without `notifications`. */
export async function listen(exchange: HttpExchange, request: RpcRequest, envelope: Envelope): Promise<void> {
  const { mcp, server } = exchange
  if (!exchange.accepts.sse)
    throw transportError(406, 'Not Acceptable: subscriptions/listen requires Accept: text/event-stream')
  if (!isRecord(request.params.notifications)) throw invalidParams('"notifications" must be an object')
  const honored = {
    ...readRequestedFilter(request.params.notifications, server),
    tasks: await readTasks(request.params.notifications, exchange, envelope),
  }
  for (const uri of honored.uris) if (!(await canFollow(uri, server))) honored.uris.delete(uri)
  const subscription = { [SUBSCRIPTION_KEY]: request.id }
  const finalResult = resultText(
    request.id,
    JSON.stringify({ resultType: 'complete', _meta: { ...subscription, ...resultMeta(server) } }),
  )
  const stream = exchange.openStream({
    endless: true,
    lifetimeMs: mcp.bounds.longStreamMs,
    farewell: () => stream?.send({ event: 'message', data: finalResult }),
  })
  if (!stream) return
  const send = (method: string, params: JsonObject) => {
    // A slow reader misses changes, so that they are not buffered; it can fetch the lists at any time.
    if (stream.pendingBytes <= MAX_PENDING_BYTES)
      stream.send({ event: 'message', data: notificationText(method, { ...params, _meta: subscription }) })
  }
  send('notifications/subscriptions/acknowledged', { notifications: acknowledge(honored) })
  const stop = mcp.hub.listen({ server: server.name, lists: honored.lists, uris: honored.uris, send })
  server.definition.hooks?.stream?.({
    request: exchange.request,
    signal: mcp.svc.http.signal(exchange.request),
    push: method => send(method, {}),
  })
  const stops = honored.tasks.map(id => mcp.tasks.follow(id, task => send('notifications/tasks', task)))
  void stream.over.then(() => {
    for (const end of [stop, ...stops]) end()
  })
}

/** The tasks that the caller may use, if it supports the extension. */
async function readTasks({ taskIds }: JsonObject, exchange: HttpExchange, { extensions }: Envelope): Promise<string[]> {
  const { mcp, server } = exchange
  if (!server.hasTasks || !extensions.has(TASKS) || !Array.isArray(taskIds)) return []
  const ids = [...new Set(taskIds.filter((id): id is string => typeof id === 'string'))].slice(0, MAX_SUBSCRIPTIONS)
  return mcp.tasks.known(ids, { server: server.name, principal: principalOf(exchange) })
}

/** The requested changes that the server supports; unknown members and URIs are ignored. */
function readRequestedFilter(requested: JsonObject, server: Server): Honored {
  const lists = new Set<ListName>()
  if (requested.toolsListChanged === true) lists.add('tools')
  if (requested.promptsListChanged === true && server.prompts.size > 0) lists.add('prompts')
  if (requested.resourcesListChanged === true && server.hasResources) lists.add('resources')
  const asked = Array.isArray(requested.resourceSubscriptions) ? requested.resourceSubscriptions : []
  const known = asked.filter((uri): uri is string => typeof uri === 'string' && server.findResource(uri) !== null)
  return { lists, uris: new Set([...new Set(known)].slice(0, MAX_SUBSCRIPTIONS)) }
}

/** A bridged server may refuse. */
async function canFollow(uri: string, { bridge }: Server): Promise<boolean> {
  try {
    await bridge?.subscribe(uri)
    return true
  } catch (error) {
    if (error instanceof RpcError) return false
    throw error
  }
}

function acknowledge({ lists, uris, tasks }: Honored & { tasks: string[] }): JsonObject {
  const flags = [...lists].map(list => [`${list}ListChanged`, true])
  return {
    ...Object.fromEntries(flags),
    ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
    ...(tasks.length > 0 ? { taskIds: tasks } : {}),
  }
}
