/** Owns POST in the stateless revision: one message, independent of others. */
import { isRecord } from 'svc/toolkit'
import { readGrants } from '../../access/grants.ts'
import { checkScope } from '../../access/scope.ts'
import { STREAM_AFTER_MS } from '../../bounds.ts'
import type { Call, Method, MethodResult } from '../../servers/call.ts'
import { capabilities } from '../../servers/server-info.ts'
import { dispatch } from '../../methods/dispatch.ts'
import { Cancelled, CODES, transportError, RpcError, withStateError } from '../../errors.ts'
import type { HttpExchange } from '../../http/exchange.ts'
import { errorText, readMessage, resultText, type RpcRequest } from '../../protocol/json-rpc.ts'
import type { Mcp } from '../../mcp.ts'
import { taskMethod } from '../../tasks/methods.ts'
import type { DiscoverResult } from '../../protocol/spec.ts'
import { STATELESS, VERSION_NAMES } from '../../protocol/versions.ts'
import { StatelessConversation } from './conversation.ts'
import { readEnvelope, VERSION_KEY } from './envelope.ts'
import { headerReader } from '../../protocol/headers.ts'
import { listen } from './listen.ts'
import { completeResult, resultMeta } from './results.ts'
import { InputRequired } from './rounds.ts'

/** The methods that only this revision has. */
function ownMethod(name: string, mcp: Mcp): Method | undefined {
  return name === 'server/discover' ? call => discover(call, mcp) : taskMethod(name, mcp.tasks)
}

/** `server/discover`, which replaces `initialize`. */
async function discover({ server, version }: Call, mcp: Mcp): Promise<MethodResult> {
  await readGrants(server, mcp)
  return {
    result: {
      supportedVersions: [...VERSION_NAMES],
      capabilities: capabilities(server, version),
      instructions: server.instructions,
    } satisfies DiscoverResult,
    cache: { ttlMs: 3_600_000, cacheScope: 'public' },
  }
}

/** Whether a POST is stateless: its version header says so, or its message has an envelope. */
export function isStateless(versionHeader: string | undefined, body: unknown): boolean {
  if (versionHeader === STATELESS.name) return true
  if (!isRecord(body) || typeof body.method !== 'string' || !isRecord(body.params)) return false
  return isRecord(body.params._meta) && Object.hasOwn(body.params._meta, VERSION_KEY)
}

/** Responds to a message. Throws errors of the transport. */
export async function serveStateless(exchange: HttpExchange, body: unknown): Promise<void> {
  exchange.facts.session = 'stateless'
  const message = readMessage(body)
  if (message.kind === 'response')
    throw transportError(400, `Invalid Request: clients send no responses in revision ${STATELESS.name}`)
  exchange.facts.method = message.method
  if (exchange.header('mcp-protocol-version') === STATELESS.name) exchange.facts.version = STATELESS.name
  if (message.kind === 'notification') return exchange.accept()
  const envelope = readEnvelope(message, exchange.server, headerReader(exchange.request))
  checkScope(exchange, message)
  if (message.method === 'subscriptions/listen') return listen(exchange, message, envelope)
  await respond(message, exchange, new StatelessConversation(exchange, envelope))
}

async function respond(
  request: RpcRequest,
  exchange: HttpExchange,
  conversation: StatelessConversation,
): Promise<void> {
  const { server, claims, http } = exchange
  const call: Call = {
    server,
    version: STATELESS,
    method: request.method,
    params: request.params,
    pageSize: exchange.pageSize,
    claims,
    http,
    conversation,
  }
  const timer = setTimeout(() => conversation.openStream(), STREAM_AFTER_MS)
  try {
    const outcome = await dispatch(call, name => ownMethod(name, exchange.mcp))
    conversation.finish(200, resultText(request.id, completeResult(outcome, server)))
  } catch (error) {
    finishFailed(error, request, exchange, conversation)
  } finally {
    clearTimeout(timer)
  }
}

function finishFailed(
  caught: unknown,
  request: RpcRequest,
  exchange: HttpExchange,
  conversation: StatelessConversation,
): void {
  const error = withStateError(caught)
  if (error instanceof InputRequired) {
    const result = { ...error.result, _meta: resultMeta(exchange.server) }
    conversation.finish(200, resultText(request.id, JSON.stringify(result)))
  } else if (error instanceof RpcError) {
    const status = error.status ?? (error.code === CODES.methodNotFound ? 404 : 200)
    conversation.finish(status, errorText(request.id, error), error.headers)
  } else if (!(error instanceof Cancelled)) {
    exchange.logFailure(request, error)
    conversation.finish(200, errorText(request.id, new RpcError(CODES.internal, 'Internal error')))
  }
}
