/** `fgrpc.PingServer`, the ping service of fortio. */
import { type CallContext, type Methods, pause, replies, type UnaryCall } from '../call.ts'

/** Numbers of 64 bits are texts. */
interface PingMessage {
  seq?: string
  ts?: string
  payload?: string
  delayNanos?: string
}

const NANOS_PER_MS = 1_000_000

export function pingMethods(context: CallContext): Methods {
  return {
    Ping: replies<UnaryCall<PingMessage>>(async call => {
      await pause(context, call, Number(call.request.delayNanos ?? 0) / NANOS_PER_MS)
      return { ...call.request, ts: String(BigInt(Date.now()) * BigInt(NANOS_PER_MS)) }
    }),
  }
}
