/** Owns batches (an array of messages in one POST), which exist only in revision 2025-03-26. */
import { checkScope } from '../../access/scope.ts'
import { MAX_BATCH } from '../../bounds.ts'
import { transportError, RpcError, withStateError } from '../../errors.ts'
import type { HttpExchange } from '../../http/exchange.ts'
import { errorText, readId, readMessage } from '../../protocol/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'
import { respondTo } from './respond.ts'
import { handleOneWayMessage } from './one-way-messages.ts'
import { NO_STREAM, PostChannel } from './response-channel.ts'

/** Runs all messages concurrently; responses are in the order of the requests. A batch without requests gets 202. */
export async function serveBatch(messages: unknown[], session: Session, exchange: HttpExchange): Promise<void> {
  if (!session.version.batches)
    throw transportError(400, `Invalid Request: revision ${session.version.name} does not support batches`)
  if (messages.length === 0 || messages.length > MAX_BATCH)
    throw transportError(400, `Invalid Request: a batch must have 1 to ${MAX_BATCH} messages`)
  exchange.messageCount = messages.length
  const responses = await Promise.all(messages.map(message => respondToMember(message, session, exchange)))
  const texts = responses.filter(text => text !== null)
  if (texts.length === 0) return exchange.accept()
  if (exchange.accepts.json) return exchange.sendJson(200, `[${texts.join(',')}]`)
  const channel = new PostChannel(exchange, session)
  for (const text of texts) channel.write(text)
  channel.complete()
}

/** The response to a member; null if it gets none. */
async function respondToMember(value: unknown, session: Session, exchange: HttpExchange): Promise<string | null> {
  try {
    const message = readMessage(value)
    if (message.kind !== 'request') {
      await handleOneWayMessage(message, session, exchange.mcp.hub)
      return null
    }
    if (message.method === 'initialize')
      throw transportError(400, 'Invalid Request: initialize must not be part of a batch')
    checkScope(exchange, message)
    return await respondTo(message, session, exchange, NO_STREAM)
  } catch (caught) {
    const error = withStateError(caught)
    if (error instanceof RpcError) return errorText(readId(value), error)
    throw error
  }
}
