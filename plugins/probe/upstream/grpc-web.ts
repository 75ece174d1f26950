/** Replies to a unary call in the form in which it arrived: gRPC, gRPC-Web, or gRPC-Web as text. */
import type { Arrival } from 'svc/toolkit'
import { echoMessage, grpcFrame, trailersFrame } from '../client/grpc-frames.ts'
import type { ScriptWriter } from './answer.ts'

export async function answerUnary({ head }: Arrival, writer: ScriptWriter, text: string): Promise<void> {
  const type = /^content-type:(.*)$/im.exec(head.toString('latin1'))?.[1]?.trim() ?? 'application/grpc'
  const message = grpcFrame(echoMessage(text))
  const trailers = 'grpc-status: 0\r\ngrpc-message: done\r\n'
  const isWeb = type.startsWith('application/grpc-web')
  const whole = isWeb ? Buffer.concat([message, trailersFrame(trailers)]) : message
  const body = type.startsWith('application/grpc-web-text') ? Buffer.from(whole.toString('base64')) : whole
  await writer.write(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`,
      ),
      body,
      Buffer.from(`\r\n0\r\n${isWeb ? '' : trailers}\r\n`),
    ]),
  )
}
