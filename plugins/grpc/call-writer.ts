/** Writes the messages of a streaming call at the pace of the client. */
import type { ServerDuplexStream, ServerWritableStream } from '@grpc/grpc-js'
import type { CallWriter } from './types.ts'

type StreamingCall = ServerWritableStream<object, unknown> | ServerDuplexStream<object, unknown>

/** See `GrpcServices.writer`. */
export function writerOf(call: StreamingCall): CallWriter {
  const controller = new AbortController()
  call.once('cancelled', () => controller.abort())
  return {
    signal: controller.signal,
    async write(message) {
      if (call.cancelled) return false
      if (!call.write(message)) await drained(call)
      return !call.cancelled
    },
  }
}

function drained(call: StreamingCall): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      call.off('drain', done).off('cancelled', done)
      resolve()
    }
    call.on('drain', done).on('cancelled', done)
  })
}
