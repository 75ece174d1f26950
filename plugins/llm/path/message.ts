/** Runs the messages of sockets: requests within the handshake, whose events are sent as they are due. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BodyStream, StreamEnd } from 'svc/plugin'
import type { Recipient } from '../call/entry-point.ts'
import { ModelCall, type Served } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import { ProviderError } from '../contract/errors.ts'
import type { SocketError, SocketRun } from '../contract/socket.ts'
import type { StreamEvent } from '../contract/stream.ts'
import { enterInLedger } from '../steps/record-reply.ts'
import { refuse } from '../steps/refuse.ts'
import { validateRequest } from '../steps/validate.ts'
import type { StreamOutput, Written } from '../streaming/output.ts'
import { pump, type StreamOutcome } from '../streaming/pump.ts'
import { tokensOf } from '../streaming/tokens-of.ts'
import type { OuterRequest } from './batch-item.ts'
import { MESSAGE, passSteps } from './call-path.ts'
import { pumpOptions } from './pump-options.ts'
import { CLIENT_GONE } from './request.ts'

export interface MessageOptions {
  path: string
  body: object
  data?: unknown
  signal: AbortSignal
  send(event: StreamEvent): void
  /** Sends a frame that is not JSON. */
  sendBroken(event: StreamEvent): void
  /** Whether to wait for `ready` before sending more. */
  readonly isFull: boolean
  /** Resolves when more can be sent. */
  ready(): Promise<void>
  destroy(): void
  close(code: number, reason: string): void
}

/** Runs a message on a socket, and sends the events of its reply at their pace. */
export async function runMessage(
  services: CallServices,
  { request, reply }: OuterRequest,
  served: Served,
  options: MessageOptions,
): Promise<SocketRun> {
  const call = new ModelCall(services, served, { request, reply }, MESSAGE, {
    requestId: services.newId(),
    method: 'WS',
    path: options.path,
    body: Buffer.from(JSON.stringify(options.body)),
    isCounted: true,
    ...(options.data === undefined ? {} : { data: options.data }),
  })
  const client = new SocketClient(call, services, options)
  call.recipient = client
  try {
    await passSteps(MESSAGE, call, services)
    return {
      kind: 'sent',
      isWhole: client.isWhole,
      parsed: call.parsed!,
      result: call.result!,
      limits: call.rateLimits,
    }
  } catch (error) {
    const { status, headers, body } = refuse(call, services, error)
    return { kind: 'error', status, headers, body }
  } finally {
    call.output.release()
  }
}

/** Checks a message that is not run itself. It is a request of its own only if it is refused. */
export function checkMessage(
  services: CallServices,
  { request, reply }: Pick<OuterRequest, 'request' | 'reply'>,
  served: Served,
  { path, body }: Pick<MessageOptions, 'path' | 'body'>,
): SocketError | null {
  const inner = {
    requestId: services.newId(),
    method: 'WS',
    path,
    body: Buffer.from(JSON.stringify(body)),
    isCounted: false,
  }
  const call = new ModelCall(services, served, { request, reply }, MESSAGE, inner)
  try {
    validateRequest(call, services)
    return null
  } catch (error) {
    inner.isCounted = true
    if (call.validation !== null) services.metrics.violated(call.validation)
    const { status, headers, body: shown } = refuse(call, services, error)
    return { kind: 'error', status, headers, body: shown }
  }
}

/** The client on the other side of a socket. */
class SocketClient implements Recipient {
  /** All events were sent. */
  isWhole = false
  /** What is sent to a closed socket is counted as cut. */
  readonly isGone = false
  readonly #call: ModelCall
  readonly #services: CallServices
  readonly #options: MessageOptions

  constructor(call: ModelCall, services: CallServices, options: MessageOptions) {
    this.#call = call
    this.#services = services
    this.#options = options
  }

  async wait(ms: number): Promise<boolean> {
    await sleep(ms, undefined, { signal: this.#options.signal }).catch(() => {})
    return true
  }

  leave(): void {
    throw new ProviderError('server_error', { status: CLIENT_GONE })
  }

  abort(): void {
    this.#options.destroy()
  }

  close(code: number, reason: string): void {
    this.#options.close(code, reason)
  }

  deliver(): Promise<void> {
    const call = this.#call
    const services = this.#services
    const options = this.#options
    const streamed = call.streamed!
    call.forgetBody()
    const stream = new MessageStream(options)
    return new Promise((resolve, reject) => {
      const own = {
        output: new MessageOutput(stream, options, services.clock.now),
        destroy: () => options.destroy(),
        fail: reject,
        ended: (outcome: StreamOutcome) => {
          this.isWhole = outcome.isWhole
          if (call.recorded !== null) enterInLedger(call, services, { status: 200, reply: 'sent', stream: outcome })
          resolve()
        },
      }
      pump(stream, streamed.events, pumpOptions(call, services, streamed, own))
    })
  }
}

/** The stream of one message: the socket stays open when it ends. */
class MessageStream implements BodyStream {
  closed = false
  readonly signal: AbortSignal
  readonly over: Promise<StreamEnd>
  readonly pendingBytes = 0
  readonly #options: MessageOptions
  readonly #controller = new AbortController()
  #end!: (reason: StreamEnd) => void

  constructor(options: MessageOptions) {
    this.#options = options
    this.signal = this.#controller.signal
    this.over = new Promise(resolve => {
      this.#end = resolve
    })
    const stop = (): void => this.#close('client')
    if (options.signal.aborted) stop()
    else options.signal.addEventListener('abort', stop, { once: true })
    void this.over.then(() => options.signal.removeEventListener('abort', stop))
  }

  write(): boolean {
    return true
  }

  ready(): Promise<void> {
    return this.#options.ready()
  }

  end(): void {
    this.#close('done')
  }

  #close(reason: StreamEnd): void {
    if (this.closed) return
    this.closed = true
    this.#end(reason)
    this.#controller.abort(reason)
  }
}

/** Events sent before the socket's buffer is checked. */
const EVENTS_PER_TURN = 64

class MessageOutput implements StreamOutput {
  readonly written: Written = { events: 0, tokens: 0, firstTokenAt: null }
  isWritable = true
  readonly #stream: BodyStream
  readonly #options: MessageOptions
  readonly #now: () => number

  constructor(stream: BodyStream, options: MessageOptions, now: () => number) {
    this.#stream = stream
    this.#options = options
    this.#now = now
  }

  begin(): void {}

  add(event: StreamEvent): void {
    const { written } = this
    this.#options.send(event)
    written.events += 1
    written.tokens += tokensOf(event)
    if (written.firstTokenAt === null && written.tokens > 0) written.firstTokenAt = this.#now()
    this.isWritable = written.events % EVENTS_PER_TURN !== 0 && !this.#options.isFull
  }

  addExtra(event: StreamEvent, isBroken: boolean): void {
    if (isBroken) this.#options.sendBroken(event)
    else this.#options.send(event)
  }

  flush(): void {}

  writeAll(): Promise<void> {
    return this.ready()
  }

  async ready(): Promise<void> {
    this.isWritable = true
    await this.#options.ready()
  }

  end(): void {
    this.#stream.end()
  }
}
