/** Owns what clients of a session post without waiting for an answer: notifications and answers to our questions. */
import type { RpcNotification, RpcResponse } from '../../calls/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'

/** Unknown notifications, ids and missing parameters change nothing. */
export function handleOneWayMessage(message: RpcNotification | RpcResponse, session: Session): void {
  if (message.kind === 'response') session.questions.answer(message)
  else if (message.method === 'notifications/cancelled') session.cancel(message.params.requestId)
}
