/** `grpcbin.GRPCBin`. */
import { randomInt } from 'node:crypto'
import { status, type ServerDuplexStream, type ServerReadableStream, type ServerWritableStream } from '@grpc/grpc-js'
import {
  type CallContext,
  eachMessage,
  type Methods,
  pause,
  receivedMetadata,
  replies,
  StatusError,
  streams,
  type UnaryCall,
} from '../call.ts'

interface SpecificErrorRequest {
  code?: number
  reason?: string
}

const UNARY_METHODS = [
  'Index',
  'Empty',
  'DummyUnary',
  'SpecificError',
  'RandomError',
  'HeadersUnary',
  'NoResponseUnary',
]
const MESSAGES = 10
const PAUSE_MS = 100
/** As `codes.Code` of Go names them. */
const CODE_NAMES =
  'OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated'.split(
    ' ',
  )
/** `RandomError` never has the last code. */
const RANDOM_CODES = 16

export function grpcbinMethods(context: CallContext): Methods {
  const endWith = (code: number, reason = ''): object => {
    if (code === status.OK) return {}
    throw new StatusError(code, reason === '' ? (CODE_NAMES[code] ?? `Code(${code})`) : reason)
  }
  return {
    Index: replies(() => ({
      description: 'gRPC testing server',
      endpoints: UNARY_METHODS.map(path => ({ path, description: '' })),
    })),
    Empty: replies(() => ({})),
    DummyUnary: replies<UnaryCall<object>>(({ request }) => request),
    DummyServerStream: streams<ServerWritableStream<object, object>>(context, async (call, writer) => {
      for (let count = 0; count < MESSAGES; count++) {
        if (!(await writer.write(call.request))) return
        await pause(context, call, PAUSE_MS)
      }
    }),
    DummyClientStream: replies<ServerReadableStream<object, object>>(async call => {
      let last = {}
      let count = 0
      await eachMessage(call, message => {
        last = message
        return ++count < MESSAGES
      })
      return last
    }),
    DummyBidirectionalStreamStream: streams<ServerDuplexStream<object, object>>(context, (call, writer) =>
      eachMessage(call, message => writer.write(message)),
    ),
    SpecificError: replies<UnaryCall<SpecificErrorRequest>>(({ request: { code = 0, reason } }) =>
      endWith(code, reason),
    ),
    RandomError: replies(() => endWith(randomInt(RANDOM_CODES))),
    HeadersUnary: replies<UnaryCall<object>>(call => {
      const values = new Map<string, string[]>()
      for (const [name, value] of receivedMetadata(context, call))
        values.set(name, [...(values.get(name) ?? []), value])
      return { Metadata: [...values].map(([key, list]) => ({ key, value: { values: list } })) }
    }),
    NoResponseUnary: replies(() => {
      throw new StatusError(status.INTERNAL, 'the method has no response')
    }),
  }
}
