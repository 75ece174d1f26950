/** What the methods of all services share: replies, streams, statuses, and facts about the call. */
import { hostname } from 'node:os'
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import {
  Metadata,
  status,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type UntypedHandleCall,
  type sendUnaryData,
} from '@grpc/grpc-js'
import type { Svc } from 'svc/plugin'
import type { CallWriter, GrpcServices } from '../grpc/types.ts'
import type { GrpcServicesOptions } from './options.ts'

export type ServiceSvc = Svc<GrpcServicesOptions>

/** The services of the host that methods use. */
export interface CallContext {
  svc: ServiceSvc
  grpc: GrpcServices
}

export type Methods = Record<string, UntypedHandleCall>

export type UnaryCall<Request> = ServerUnaryCall<Request, object>
export type ReadingCall<Request> = ServerReadableStream<Request, object> | ServerDuplexStream<Request, object>
type WritingCall = Parameters<GrpcServices['writer']>[0]

/** Ends a call with a status when a method throws it. */
export class StatusError extends Error {
  readonly code: number
  readonly details: string
  readonly metadata: Metadata

  constructor(code: number, details: string, metadata = new Metadata()) {
    // A header field has its limits, and the library can't encode half of a surrogate pair: it becomes U+FFFD.
    const text = Buffer.from(details.slice(0, MAX_DETAILS)).toString()
    super(text)
    this.code = code
    this.details = text
    this.metadata = metadata
  }
}

/** UTF-16 code units of a status message. */
const MAX_DETAILS = 1024

export function invalidArgument(details: string): StatusError {
  return new StatusError(status.INVALID_ARGUMENT, details)
}

/** A method with one reply. `trailers` are sent with it. */
export function replies<Call extends { metadata: Metadata }>(
  respond: (call: Call, trailers: Metadata) => object | Promise<object>,
): UntypedHandleCall {
  return (async (call: Call, reply: sendUnaryData<object>): Promise<void> => {
    const trailers = new Metadata()
    reply(null, await respond(call, trailers), trailers)
  }) as unknown as UntypedHandleCall
}

/** A method with several replies. The call ends, with `trailers`, when `send` resolves. */
export function streams<Call extends WritingCall>(
  { grpc }: CallContext,
  send: (call: Call, writer: CallWriter, trailers: Metadata) => Promise<void>,
): UntypedHandleCall {
  return (async (call: Call): Promise<void> => {
    const trailers = new Metadata()
    await send(call, grpc.writer(call), trailers)
    if (!call.cancelled) call.end(trailers)
  }) as unknown as UntypedHandleCall
}

/**
 * Takes the messages of a client one after the other. Resolves when it has ended or cancelled the call, and early if `take`
 * returns false; what follows is then discarded. Rejects if `take` does.
 */
export function eachMessage<Request>(
  call: ReadingCall<Request>,
  take: (message: Request) => boolean | void | Promise<boolean | void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false
    let last: Promise<void> = Promise.resolve()
    const end = (finish: () => void): void => {
      isOver = true
      finish()
      call.resume()
    }
    const takeNext = async (message: Request): Promise<void> => {
      if (isOver) return
      try {
        if ((await take(message)) === false) end(resolve)
        else call.resume()
      } catch (error) {
        end(() => reject(error as Error))
      }
    }
    call.on('data', (message: Request) => {
      if (isOver) return
      call.pause()
      last = last.then(() => takeNext(message))
    })
    call.on('end', () => void last.then(resolve))
    call.on('cancelled', resolve)
    call.on('error', () => {})
  })
}

/** The request of a call. Throws if the call has ended. */
export function requestOf({ grpc }: CallContext, call: { metadata: Metadata }): IncomingMessage | Http2ServerRequest {
  const request = grpc.requestOf(call)
  if (request === undefined) throw new StatusError(status.CANCELLED, 'the call has ended')
  return request
}

/** Waits, at most the limit for delays. Throws if the client leaves. */
export async function pause(context: CallContext, call: { metadata: Metadata }, ms: number): Promise<void> {
  if (ms <= 0) return
  if (!(await context.svc.http.delay(requestOf(context, call), ms)))
    throw new StatusError(status.CANCELLED, 'the client has left')
}

/** Metadata that gRPC itself reads, which servers in Go do not show. */
const OWN_FIELDS = new Set([
  'grpc-timeout',
  'grpc-encoding',
  'grpc-message-type',
  'te',
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
])

/** The metadata of a call as received, in order, with `:authority` first. Values of `-bin` fields are decoded, as UTF-8. */
export function receivedMetadata(context: CallContext, call: { metadata: Metadata }): [name: string, value: string][] {
  const request = requestOf(context, call)
  const received = context.svc.http.receivedHeaders(request)
  const fields: [string, string][] = [[':authority', authorityOf(request)]]
  for (let at = 0; at + 1 < received.length; at += 2) {
    const name = received[at]!.toLowerCase()
    if (name.startsWith(':') || OWN_FIELDS.has(name)) continue
    const value = received[at + 1]!
    fields.push([name, name.endsWith('-bin') ? Buffer.from(value, 'base64').toString() : value])
  }
  return fields
}

/** The authority that the client called; empty if it named none. */
export function authorityOf({ headers }: IncomingMessage | Http2ServerRequest): string {
  const authority = headers[':authority']
  return (typeof authority === 'string' ? authority : headers.host) ?? ''
}

/** The name of the machine; in public mode the instance id. */
export function hostnameOf({ config, instance }: ServiceSvc): string {
  return config.publicMode ? instance.id : hostname()
}
