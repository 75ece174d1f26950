/**
 * Lets a route answer a request that the tap has claimed. The bytes that a listener would send go to the tap, which writes and
 * records them. What is for everybody's requests does not act: stored rules, faults of headers, limits, the inspector and
 * metrics. The step of a rule that comes along acts as if a rule in front of all others had matched.
 */
import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { isTooExpensive } from '../../contract/budgets.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { Arrival, TapServed } from '../../contract/tap.ts'
import { InputProblem } from '../../toolkit/input-problem.ts'
import type { RuleEntry } from '../../rules/rule-entry.ts'
import { bodyLimitOf } from '../request/body.ts'
import { contextOf, type RequestContext } from '../request/context.ts'
import { decodeBody } from '../request/decoded-body.ts'
import type { ListenerFacts, RoutingGeneration } from '../request/types.ts'
import { badRequest, payloadTooLarge } from '../response/error-bodies.ts'
import type { Http1ResponseClass, SvcResponse } from '../response/response.ts'
import { sendError, sendResponse } from '../response/send.ts'
import { assignRequestId, callRoute, runStages } from '../pipeline/pipeline.ts'
import type { PipelineServices, Stage } from '../pipeline/stage.ts'
import { readServedStep } from '../pipeline/rules/served-step.ts'
import { applyRules } from '../pipeline/stages/rules.ts'
import type { ClaimServer } from '../tap/tap.ts'
import { bodyReaderFor, fieldsOf } from '../tap/message-framing.ts'

export interface ServingOptions {
  services: PipelineServices
  Http1Response: Http1ResponseClass
  generation(): RoutingGeneration
  port(kind: Arrival['listener']): number
  /** Routes a request of a listener, and makes its context. */
  start(request: IncomingMessage, response: SvcResponse, listener: ListenerFacts): RequestContext
}

const STAGES: readonly Stage[] = [assignRequestId, takeBody, applyRules, callRoute]

/** Creates what the tap serves claimed requests with. */
export function createClaimServer({ services, Http1Response, ...options }: ServingOptions): ClaimServer {
  const { rules } = services

  const readEntry = (step: JsonObject): RuleEntry => readServedStep(step, options.generation().rules, rules)

  return {
    stepProblem(step) {
      try {
        readEntry(step as JsonObject)
        return null
      } catch (error) {
        if (error instanceof InputProblem) return `${error.at.replace(/^\/?then/, 'step')}: ${error.message}`
        if (isTooExpensive(error)) return 'step: takes too long to check'
        throw error
      }
    },

    isServed: request => contextOf(request).served !== null,

    note(request, name, value) {
      const { served } = contextOf(request)
      if (served !== null) served.notes[name] = value
    },

    async serve(arrival, { step, write, signal }) {
      const rule = step === null ? null : readEntry(step)
      const socket = new ServedSocket(arrival, write)
      const { kind, port } = { kind: arrival.listener, port: options.port(arrival.listener) }
      const listener: ListenerFacts = {
        name: kind,
        kind,
        scheme: kind === 'https' ? 'https' : 'http',
        port,
        mount: null,
        grpc: null,
      }
      const body = contentOf(arrival)
      const request = requestOf(arrival, body, socket)
      const response = new Http1Response(request)
      response.assignSocket(socket as unknown as Socket)
      // As a listener does for its connections: writers wait for it when they are ahead of the peer.
      socket.on('drain', () => void (response.writableFinished || response.emit('drain')))
      const context = options.start(request, response as unknown as SvcResponse, listener)
      context.body = body
      context.isBodyRead = true
      context.served = { rule, notes: (arrival as { notes: Record<string, unknown> }).notes }
      return new Promise(resolve => {
        const leave = (): void => void socket.destroy()
        const end = (then: TapServed['then']): void => {
          signal.removeEventListener('abort', leave)
          resolve({ then })
        }
        signal.addEventListener('abort', leave, { once: true })
        response.on('finish', () => {
          // What is in the socket has been written when the last write resolved.
          socket.whenWritten(() => {
            end(isClosing(response) ? 'end' : 'keep')
            socket.destroy()
          })
        })
        socket.on('close', () => end(socket.isReset || !socket.writableFinished ? 'reset' : 'end'))
        if (signal.aborted) return leave()
        runStages(STAGES, context, services)
      })
    },
  }
}

/** The body has arrived; its coding is removed, as for every request. */
function takeBody(context: RequestContext, { config, rules }: PipelineServices): boolean | Promise<boolean> {
  if (context.path === null) {
    sendResponse(context, { status: 400, body: badRequest('malformed percent-encoding in the request target') })
    return false
  }
  const limit = bodyLimitOf(context, config.bodyLimit)
  if (context.body.length > limit) {
    sendError(context, { status: 413, kind: 'payload_too_large', body: payloadTooLarge(limit, context) })
    return false
  }
  return decodeBody(context, rules)
}

function isClosing(response: ServerResponse): boolean {
  return String(response.getHeader('connection') ?? '').toLowerCase() === 'close'
}

/** Writes to the tap in place of a connection. */
class ServedSocket extends Duplex {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly encrypted: boolean
  readonly #write: (bytes: Buffer) => Promise<boolean>
  isReset = false

  constructor({ peer, tls }: Arrival, write: (bytes: Buffer) => Promise<boolean>) {
    super({ allowHalfOpen: true })
    const at = peer.lastIndexOf(':')
    this.remoteAddress = peer.slice(0, at)
    this.remotePort = Number(peer.slice(at + 1))
    this.encrypted = tls !== null
    this.#write = write
    // A peer that is gone is not an error.
    this.on('error', () => {})
  }

  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  resetAndDestroy(): this {
    this.isReset = true
    return this.destroy()
  }

  /** Calls back once all that was written is on its way. */
  whenWritten(done: () => void): void {
    if (this.writableLength === 0 || this.destroyed) done()
    else this.once('drained', done)
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    void this.#write(Buffer.from(chunk)).then(isTaken => {
      done(isTaken ? null : new Error('the peer is gone'))
      if (this.writableLength === 0) this.emit('drained')
    })
  }

  override _writev(chunks: { chunk: Buffer; encoding: string }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), '', done)
  }
}

/** The request as a listener would give it, with its whole body. */
function requestOf({ head, protocol }: Arrival, body: Buffer, socket: ServedSocket): IncomingMessage {
  const request = new IncomingMessage(socket as unknown as Socket)
  const line = head.toString('latin1').trimStart()
  const [method = 'GET', url = '/'] = line.split(/[ \t\r\n]/, 2)
  const version = protocol === '1.0' ? '1.0' : '1.1'
  request.method = method
  request.url = url
  request.httpVersion = version
  request.httpVersionMajor = 1
  request.httpVersionMinor = version === '1.0' ? 0 : 1
  for (const [name, value] of fieldsOfRequest(head)) {
    request.rawHeaders.push(name, value)
    const before = request.headers[name]
    request.headers[name] =
      before === undefined || name === 'host' ? value : `${String(before)}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  if (body.length > 0) {
    request.headers['content-length'] = String(body.length)
    request.push(body)
  }
  request.push(null)
  request.complete = true
  return request
}

/** The body without the chunked coding. */
function contentOf({ head, bytes, protocol }: Arrival): Buffer {
  const rest = bytes.subarray(head.length)
  if (protocol === '2') return rest
  const parts: Buffer[] = []
  bodyReaderFor(head).take(rest, part => parts.push(part))
  return Buffer.concat(parts)
}

const OF_FRAMING = ['transfer-encoding', 'content-length', 'expect', 'upgrade']

/** Without the framing; the pseudo-header fields of HTTP/2 are those of HTTP/1.1. */
function fieldsOfRequest(head: Buffer): [name: string, value: string][] {
  const authority = /^:authority: ([^\r\n]*)/m.exec(head.toString('latin1'))?.[1]
  const fields = fieldsOf(head).filter(([name]) => !OF_FRAMING.includes(name))
  return authority === undefined || fields.some(([name]) => name === 'host') ? fields : [['host', authority], ...fields]
}
