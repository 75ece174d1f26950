/** Owns the response to one request of a session, for both transports. */
import type { Call } from '../../servers/call.ts'
import { dispatch, resultJson } from '../../methods/dispatch.ts'
import { Cancelled, CODES, RpcError, withStateError } from '../../errors.ts'
import type { HttpExchange } from '../../http/exchange.ts'
import { errorText, resultText, type RpcRequest } from '../../protocol/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'
import { SessionConversation } from './conversation.ts'
import { sessionMethod } from './methods.ts'
import type { ResponseChannel } from './response-channel.ts'

/** Resolves with the text of the response, or with null as soon as the client cancels. Never rejects. */
export function respondTo(
  request: RpcRequest,
  session: Session,
  exchange: HttpExchange,
  channel: ResponseChannel,
): Promise<string | null> {
  return new Promise(resolve => {
    run(request, session, exchange, channel, () => resolve(null)).then(resolve, (error: unknown) =>
      resolve(failureText(error, request, exchange)),
    )
  })
}

async function run(
  request: RpcRequest,
  session: Session,
  exchange: HttpExchange,
  channel: ResponseChannel,
  onCancel: () => void,
): Promise<string> {
  const { mcp, server, claims, http } = exchange
  const inFlight = session.begin(request.id, exchange.messageBytes, onCancel)
  try {
    const conversation = new SessionConversation(mcp.hub, session, inFlight, channel)
    const call: Call = {
      server,
      version: session.version,
      method: request.method,
      params: request.params,
      pageSize: exchange.pageSize,
      claims,
      http,
      conversation,
    }
    return resultText(
      request.id,
      resultJson(await dispatch(call, name => sessionMethod(name, session, mcp.hub.sessions))),
    )
  } finally {
    session.finish(inFlight)
  }
}

function failureText(caught: unknown, request: RpcRequest, exchange: HttpExchange): string | null {
  const error = withStateError(caught)
  if (error instanceof Cancelled) return null
  if (error instanceof RpcError) return errorText(request.id, error)
  exchange.logFailure(request, error)
  return errorText(request.id, new RpcError(CODES.internal, 'Internal error'))
}
