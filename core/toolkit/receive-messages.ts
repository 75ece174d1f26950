/** Messages of a WebSocket whose work takes turns with that of other clients. */
import type { WebSocket } from 'ws'
import { turnForBytes } from '../contract/turns.ts'

interface Message {
  readonly bytes: Buffer
  readonly isBinary: boolean
  readonly turn: true | Promise<true>
}

/**
 * Calls `listener` with each message of an open socket, in order. A large one waits for its turn, and meanwhile nothing more is
 * read from the client. `fail` gets what the listener throws at a message that has waited; otherwise it is thrown where the
 * socket emits the message.
 */
export function receiveMessages(
  socket: WebSocket,
  listener: (message: Buffer, isBinary: boolean) => void,
  fail: (error: unknown) => void,
): void {
  const waiting: Message[] = []
  const deliver = ({ bytes, isBinary }: Message): void => {
    if (socket.readyState === socket.OPEN) listener(bytes, isBinary)
  }
  const deliverWaiting = async (): Promise<void> => {
    socket.pause()
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      await next.turn
      deliver(next)
      // Until then, what arrives waits for it.
      waiting.shift()
    }
    socket.resume()
  }
  socket.on('message', (data, isBinary) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat([data].flat() as Buffer[])
    const message: Message = { bytes, isBinary, turn: turnForBytes(bytes.length) }
    if (waiting.length === 0 && message.turn === true) return deliver(message)
    if (waiting.push(message) === 1) deliverWaiting().catch(fail)
  })
}
