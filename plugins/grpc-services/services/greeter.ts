/** `helloworld.Greeter`, the service of gRPC's first example. */
import type { ServerDuplexStream, ServerWritableStream } from '@grpc/grpc-js'
import { type CallContext, eachMessage, type Methods, replies, streams, type UnaryCall } from '../call.ts'

interface HelloRequest {
  name?: string
}

const GREETINGS = 5

export function greeterMethods(context: CallContext): Methods {
  const greet = ({ name = '' }: HelloRequest): string => `Hello ${name}`
  return {
    SayHello: replies<UnaryCall<HelloRequest>>(({ request }) => ({ message: greet(request) })),
    SayHelloStreamReply: streams<ServerWritableStream<HelloRequest, object>>(context, async ({ request }, writer) => {
      for (let number = 0; number < GREETINGS; number++)
        if (!(await writer.write({ message: `${greet(request)} ${number}` }))) return
    }),
    SayHelloBidiStream: streams<ServerDuplexStream<HelloRequest, object>>(context, (call, writer) =>
      eachMessage(call, request => writer.write({ message: greet(request) })),
    ),
  }
}
