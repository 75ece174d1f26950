/** `hello.HelloService`, the greeting service of grpcbin. */
import { status, type ServerDuplexStream, type ServerReadableStream, type ServerWritableStream } from '@grpc/grpc-js'
import { type CallContext, eachMessage, type Methods, replies, StatusError, streams, type UnaryCall } from '../call.ts'

interface HelloRequest {
  greeting?: string
}

const REPLIES = 10
/** The default maximum message size of clients. */
const MAX_REPLY_BYTES = 4 * 1024 * 1024

export function helloMethods(context: CallContext): Methods {
  const greet = (whom: string): object => ({ reply: `hello ${whom}` })
  const nameOf = ({ greeting = 'noname' }: HelloRequest): string => greeting
  return {
    SayHello: replies<UnaryCall<HelloRequest>>(({ request }) => greet(nameOf(request))),
    LotsOfReplies: streams<ServerWritableStream<HelloRequest, object>>(context, async ({ request }, writer) => {
      for (let count = 0; count < REPLIES; count++) if (!(await writer.write(greet(nameOf(request))))) return
    }),
    LotsOfGreetings: replies<ServerReadableStream<HelloRequest, object>>(async call => {
      const names: string[] = []
      let bytes = 0
      await eachMessage(call, request => {
        const name = nameOf(request)
        bytes += Buffer.byteLength(name) + 2
        if (bytes > MAX_REPLY_BYTES)
          throw new StatusError(
            status.RESOURCE_EXHAUSTED,
            `the greetings are too large: more than ${MAX_REPLY_BYTES} bytes in total`,
          )
        names.push(name)
      })
      return greet(names.join(', '))
    }),
    BidiHello: streams<ServerDuplexStream<HelloRequest, object>>(context, (call, writer) =>
      eachMessage(call, request => writer.write(greet(nameOf(request)))),
    ),
  }
}
