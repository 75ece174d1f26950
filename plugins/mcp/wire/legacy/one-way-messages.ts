/** Owns messages from clients that get no response: notifications, and responses to questions. */
import type { RpcNotification, RpcResponse } from '../../protocol/json-rpc.ts'
import type { Hub } from '../../sessions/hub.ts'
import type { Session } from '../../sessions/session.ts'

/** Unknown notifications, unknown ids and missing parameters are ignored. */
export async function handleOneWayMessage(
  message: RpcNotification | RpcResponse,
  session: Session,
  hub: Hub,
): Promise<void> {
  if (message.kind === 'response') await hub.answer(session, message)
  else if (message.method === 'notifications/cancelled') await hub.cancel(session, message.params.requestId)
}
