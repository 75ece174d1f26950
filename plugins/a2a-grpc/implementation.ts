/** The methods of `lf.a2a.v1.A2AService`, on the operations of `a2a.core`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Metadata,
  status,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
  type sendUnaryData,
} from '@grpc/grpc-js'
import type { Svc } from 'svc/plugin'
import type { A2aCore, A2aOutcome, JsonObject } from '../a2a/types.ts'
import type { GrpcImplementation, GrpcServices } from '../grpc/types.ts'
import { callerOf } from './caller.ts'
import { fromJson, toJson } from './conversion.ts'
import { type Failure, failureOf, internal, type MessageTypes } from './failure.ts'
import { METHODS, type MethodName, SERVICE } from './methods.ts'
import { type Shape, SHAPES } from './shapes.ts'
import { TooDeep } from './well-known.ts'

type Unary = ServerUnaryCall<JsonObject, JsonObject>
type Streaming = ServerWritableStream<JsonObject, JsonObject>

const STREAM_MS = 10 * 60_000
/** Updates that may wait for a client that reads slowly. */
const MAX_WAITING = 100

export async function openA2a(svc: Svc, core: A2aCore, services: GrpcServices): Promise<GrpcImplementation> {
  const path = join(svc.folder, '..', '..', 'proto', 'a2a.binpb')
  const forms = { longs: Number, enums: String, bytes: String }
  const { service, message, descriptorSet } = await svc.shared('definitions', () =>
    services.definitions(readFileSync(path), forms),
  )
  const definition = service(SERVICE)
  const binding = new Binding(svc, { core, services, types: message })
  const handlers: UntypedServiceImplementation = {}
  for (const name of METHODS)
    handlers[name] = definition[name]!.responseStream
      ? (call: Streaming) => void binding.stream(name, call)
      : (call: Unary, reply: sendUnaryData<JsonObject>) => void binding.unary(name, call, reply)
  return { definition, handlers, reflection: descriptorSet }
}

class Binding {
  readonly #svc: Svc
  readonly #parts: { core: A2aCore; services: GrpcServices; types: MessageTypes }

  constructor(svc: Svc, parts: { core: A2aCore; services: GrpcServices; types: MessageTypes }) {
    this.#svc = svc
    this.#parts = parts
  }

  async unary(name: MethodName, call: Unary, reply: sendUnaryData<JsonObject>): Promise<void> {
    const outcome = await this.#perform(name, call)
    if ('code' in outcome) return reply(outcome)
    if (outcome.kind === 'stream') return reply(internal())
    const message = encode((outcome.result ?? {}) as JsonObject, SHAPES[name].response)
    if ('failure' in message) reply(message.failure)
    else reply(null, message.value)
  }

  async stream(name: MethodName, call: Streaming): Promise<void> {
    const outcome = await this.#perform(name, call)
    if ('code' in outcome) return void call.emit('error', outcome)
    if (outcome.kind === 'result') return void call.emit('error', internal())
    const write = (event: JsonObject): Failure | null => {
      const message = encode(event, SHAPES[name].response)
      if ('failure' in message) return message.failure
      call.write(message.value)
      return null
    }
    if (call.cancelled) return void call.end()
    let isOver = false
    let stopEvents = (): void => {}
    const stop = (): void => {
      isOver = true
      clearTimeout(timer)
      stopEvents()
    }
    const end = (failure?: Failure): void => {
      if (isOver) return
      stop()
      if (failure) call.emit('error', failure)
      else call.end()
    }
    const timer = setTimeout(end, STREAM_MS).unref()
    call.on('cancelled', stop)
    stopEvents = outcome.open({
      event(event) {
        if (isOver) return
        const failed = write(event)
        if (failed) end(failed)
        else if (call.writableLength > MAX_WAITING) end(exhausted('the client reads updates too slowly'))
      },
      end: () => end(),
      cut: () => end(broken()),
    })
    // The first event may have ended the stream.
    if (isOver) stopEvents()
  }

  async #perform(name: MethodName, call: Unary | Streaming): Promise<Exclude<A2aOutcome, { kind: 'error' }> | Failure> {
    const { core, services, types } = this.#parts
    const waiting = new AbortController()
    call.on('cancelled', () => waiting.abort())
    try {
      const { tenant, ...params } = toJson(call.request, SHAPES[name].request)
      const caller = callerOf(call, tenant, { core, services, signal: waiting.signal })
      if (caller === null) return { code: status.CANCELLED, details: 'the call has ended', metadata: new Metadata() }
      const outcome = await core.call(name, params, caller)
      const initial = new Metadata()
      initial.set('a2a-version', '1.0')
      if (outcome.extensions !== '') initial.set('a2a-extensions', outcome.extensions)
      call.sendMetadata(initial)
      return outcome.kind === 'error' ? failureOf(outcome.error, types) : outcome
    } catch (error) {
      this.#svc.log.error('an A2A operation failed', { method: name, error })
      return internal()
    }
  }
}

/** The message, or the status if the JSON can't be one. */
function encode(json: JsonObject, shape: Shape): { value: JsonObject } | { failure: Failure } {
  try {
    return { value: fromJson(json, shape) }
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    return { failure: exhausted(error.message) }
  }
}

function broken(): Failure {
  return { code: status.UNAVAILABLE, details: 'the connection was broken by a fault', metadata: new Metadata() }
}

function exhausted(details: string): Failure {
  return { code: status.RESOURCE_EXHAUSTED, details, metadata: new Metadata() }
}
