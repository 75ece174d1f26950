/** Drops messages that a method writes after the call has its status. */
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'
import { withoutUnnamedCoding } from './checked-messages.ts'

/**
 * grpc-js ends a call by itself when a message is unreadable or too large or the deadline has passed, while the method may
 * still reply to earlier messages. A write after the end of the HTTP/2 stream breaks the stream: the client would receive
 * neither the status nor the end.
 */
export const statusOnce: ServerInterceptor = (_method, call) => {
  let isOver = false
  // Statuses set by the library itself bypass the responder.
  const sendStatus = call.sendStatus.bind(call)
  call.sendStatus = status => {
    isOver = true
    sendStatus(withoutUnnamedCoding(status))
  }
  return new ServerInterceptingCall(call, {
    sendMessage: (message, next) => {
      if (!isOver) next(message)
    },
  })
}
