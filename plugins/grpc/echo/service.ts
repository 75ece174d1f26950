/** The methods of `svc.echo.v1.EchoService`. */
import {
  status,
  type Metadata,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
  type sendUnaryData,
} from '@grpc/grpc-js'
import { type Svc } from 'svc/plugin'
import { sleep } from 'svc/toolkit'
import { writerOf } from '../call-writer.ts'
import type { GrpcDefinitions } from '../types.ts'
import { createFailures, type FailRequest } from './failure.ts'
import { readTimeout, showMetadata, type MapEntry } from './metadata.ts'

interface EchoRequest {
  message: string
  count: number
}
interface EchoResponse {
  message: string
  metadata: MapEntry[]
  instance_id: string
  index: number
  grpc_timeout: string
  deadline_ms: number
}

const DEFAULT_COUNT = 3
const MAX_COUNT = 100
const PAUSE_MS = 50
const MAX_MESSAGES = 1000
/** The default maximum message size of clients; joined messages could be a thousand times as large. */
const MAX_JOINED_BYTES = 4 * 1024 * 1024

const tooManyMessages = { code: status.RESOURCE_EXHAUSTED, details: `too many messages (at most ${MAX_MESSAGES})` }

export function createEchoService(svc: Svc, definitions: GrpcDefinitions): UntypedServiceImplementation {
  const failureOf = createFailures(definitions, svc.instance.id)

  function responder(call: { metadata: Metadata }): (message: string, index: number) => EchoResponse {
    const metadata = showMetadata(call.metadata)
    const { text, ms } = readTimeout(call.metadata)
    return (message, index) => ({
      message,
      metadata,
      instance_id: svc.instance.id,
      index,
      grpc_timeout: text,
      deadline_ms: ms,
    })
  }

  function echo(call: ServerUnaryCall<EchoRequest, EchoResponse>, reply: sendUnaryData<EchoResponse>): void {
    reply(null, responder(call)(call.request.message, 0))
  }

  async function serverStream(call: ServerWritableStream<EchoRequest, EchoResponse>): Promise<void> {
    const respond = responder(call)
    const count = Math.min(call.request.count || DEFAULT_COUNT, MAX_COUNT)
    const { signal, write } = writerOf(call)
    for (let index = 0; index < count; index++) {
      await sleep(PAUSE_MS, { signal })
      if (!(await write(respond(call.request.message, index)))) return
    }
    call.end()
  }

  function clientStream(
    call: ServerReadableStream<EchoRequest, EchoResponse>,
    reply: sendUnaryData<EchoResponse>,
  ): void {
    const messages: string[] = []
    let bytes = 0
    let isOver = false
    const end = (send: () => void): void => {
      if (isOver) return
      isOver = true
      send()
    }
    call.on('data', ({ message }: EchoRequest) => {
      if (isOver) return
      bytes += Buffer.byteLength(message) + 1
      if (messages.length === MAX_MESSAGES) end(() => reply(tooManyMessages))
      else if (bytes > MAX_JOINED_BYTES)
        end(() =>
          reply({
            code: status.RESOURCE_EXHAUSTED,
            details: `the messages are too large: more than ${MAX_JOINED_BYTES} bytes in total`,
          }),
        )
      else messages.push(message)
    })
    call.on('end', () => end(() => reply(null, responder(call)(messages.join(' '), messages.length))))
    call.on('error', () => {})
  }

  function bidiStream(call: ServerDuplexStream<EchoRequest, EchoResponse>): void {
    const respond = responder(call)
    let index = 0
    call.on('data', ({ message }: EchoRequest) => {
      if (index > MAX_MESSAGES) return
      if (index === MAX_MESSAGES) call.emit('error', tooManyMessages)
      else if (!call.write(respond(message, index))) {
        call.pause()
        call.once('drain', () => call.resume())
      }
      index++
    })
    call.on('end', () => {
      if (index <= MAX_MESSAGES) call.end()
    })
  }

  function fail(call: ServerUnaryCall<FailRequest, EchoResponse>, reply: sendUnaryData<EchoResponse>): void {
    const failure = failureOf(call.request)
    if (failure !== null) return reply(failure)
    reply(null, responder(call)(call.request.message || 'OK', 0))
  }

  return {
    Echo: echo,
    ServerStream: serverStream,
    ClientStream: clientStream,
    BidiStream: bidiStream,
    Fail: fail,
  } as UntypedServiceImplementation
}
