/** Owns the end of a call: what a method still writes after a status is dropped. */
import { ServerInterceptingCall } from '@grpc/grpc-js'
import type { ServerInterceptor } from '@grpc/grpc-js'

/**
 * grpc-js gives a call its status by itself when a message can't be read, is too large or its deadline is over, while the
 * method still answers what came before. Such a write comes after the end of the HTTP/2 stream, which breaks it: neither
 * status nor end would reach the client.
 */
export const statusOnce: ServerInterceptor = (_method, call) => {
  let isOver = false
  // The library's own statuses pass no responder.
  const sendStatus = call.sendStatus.bind(call)
  call.sendStatus = status => {
    isOver = true
    sendStatus(status)
  }
  return new ServerInterceptingCall(call, {
    sendMessage: (message, next) => {
      if (!isOver) next(message)
    },
  })
}
