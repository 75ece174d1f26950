/** Owns messages from clients that get no response: notifications, and responses to questions. */
import type { RpcNotification, RpcResponse } from '../../calls/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'

/** Unknown notifications, unknown ids and missing parameters are ignored. */
export function handleOneWayMessage(message: RpcNotification | RpcResponse, session: Session): void {
  if (message.kind === 'response') session.questions.answer(message)
  else if (message.method === 'notifications/cancelled') session.cancel(message.params.requestId)
}
