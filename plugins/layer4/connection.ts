/** Serves one connection: directives, the mode, faults, and the bounds of what is received. */
import type { SharedMemory, TcpConnection } from 'svc/plugin'
import { resetSocket } from 'svc/toolkit'
import type { Abort } from './abort.ts'
import { DirectiveError, type Directives, findFirstLine, readDirectives } from './directives.ts'
import type { Answers, Instance, Mode, ModeContext, ModeDefinition } from './modes/mode.ts'
import { MODES } from './modes/modes.ts'
import { type Drip, type ListenerOptions, takesDirectives } from './options.ts'
import { letters, Writer } from './writer.ts'

/** How long the first line may take from its first byte on. */
const LINE_MS = 2_000
/** How long a client may take to end a connection that svc has ended. */
const LINGER_MS = 1_000

/** Bounds and values of the instance. */
export interface ConnectionBounds {
  maxBytes: number
  idleMs: number
  lifetimeMs: number
  maxDelayMs: number
  maxSend: number
  /** Bytes that may wait to be sent. */
  maxPending: number
  /** The same for all connections together. */
  shared: SharedMemory
}

/** The faults of a connection: those of the listener, or of an override. */
export interface ConnectionFaults {
  abort: Abort | null
  delayMs: number
  drip: Drip | null
}

export interface ConnectionParts {
  options: ListenerOptions
  faults: ConnectionFaults
  bounds: ConnectionBounds
  instance: Instance
}

/** Serves the connection until it ends. */
export function serveConnection(connection: TcpConnection, parts: ConnectionParts): void {
  new ServedConnection(connection, parts).start()
}

class ServedConnection {
  readonly #connection: TcpConnection
  readonly #parts: ConnectionParts
  readonly #writer: Writer
  readonly #answers: Answers
  readonly #context: ModeContext
  #mode: Mode
  #readBytes: number
  #abort: Abort | null
  /** Received bytes, without a line that steers. */
  #received = 0
  /** Received bytes in all. */
  #total = 0
  /** What may become a line; null if nothing is waited for. */
  #first: Buffer | null
  #firstTimer: NodeJS.Timeout | null = null
  /** Nothing more is answered: the rest is read and dropped. */
  #isOver = false
  #isHanging = false
  /** What was received while too much was pending: it is answered when the client has read. */
  #waiting: Buffer | null = null
  /** Acts when all bytes before it are answered. */
  #due: Abort | null = null
  #hasEnded = false

  constructor(connection: TcpConnection, parts: ConnectionParts) {
    const { socket, record } = connection
    const { options, faults, bounds, instance } = parts
    this.#connection = connection
    this.#parts = parts
    this.#writer = new Writer({
      socket,
      maxPending: bounds.maxPending,
      shared: bounds.shared,
      delayMs: faults.delayMs,
      drip: faults.drip,
      onSent: bytes => record.sent(bytes),
      onPressure: isHigh => {
        if (isHigh) socket.pause()
        else if (this.#answerWaiting()) socket.resume()
      },
    })
    this.#answers = {
      send: bytes => this.#writer.send(typeof bytes === 'string' ? Buffer.from(bytes) : bytes),
      end: () => this.#end(),
    }
    this.#context = { options, facts: connection, instance }
    this.#first = takesDirectives(options) ? Buffer.alloc(0) : null
    this.#abort = faults.abort
    const definition = MODES[options.mode]
    this.#readBytes = definition.readBytes ?? Infinity
    this.#mode = definition.connection(this.#context)
  }

  start(): void {
    const { socket, transport, record } = this.#connection
    const { options, bounds, faults } = this.#parts
    if (faults.delayMs > 0) record.fault('delay')
    else if (faults.drip !== null) record.fault('drip')
    const lifetime = setTimeout(() => {
      record.ends('lifetime')
      transport.destroy()
    }, bounds.lifetimeMs)
    lifetime.unref()
    socket.setTimeout(bounds.idleMs, () => {
      record.ends('idle')
      transport.destroy()
    })
    socket.on('close', () => {
      clearTimeout(lifetime)
      if (this.#firstTimer !== null) clearTimeout(this.#firstTimer)
    })
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('end', () => this.#ended())
    if (this.#abort?.after === 0) return this.#act(this.#abort)
    const definition = MODES[options.mode]
    const banner = options.banner === true ? definition.banner : options.banner
    if (banner !== undefined) this.#answers.send(banner)
    this.#mode.open?.(this.#answers)
  }

  #receive(chunk: Buffer): void {
    const { record } = this.#connection
    const { bounds } = this.#parts
    const taken = chunk.subarray(0, bounds.maxBytes - this.#total)
    record.received(taken)
    this.#total += taken.length
    if (!this.#isOver) this.#take(taken)
    if (this.#total < bounds.maxBytes || this.#connection.socket.writableEnded) return
    record.ends('max_bytes')
    this.#end()
    this.#linger()
  }

  #take(bytes: Buffer): void {
    if (this.#first === null) return this.#data(bytes)
    this.#first = Buffer.concat([this.#first, bytes])
    const found = findFirstLine(this.#first)
    if (found.state === 'more') {
      this.#firstTimer ??= setTimeout(() => this.#lineIsLate(), LINE_MS)
      return
    }
    const first = this.#first
    this.#leaveFirst()
    if (found.state === 'data') return this.#data(first)
    if (found.state === 'too-long') return this.#refuse('a line of at most 512 bytes')
    try {
      const { maxSend, maxDelayMs } = this.#parts.bounds
      this.#steer(readDirectives(found.line, 'tcp', { maxSend, maxDelayMs }))
    } catch (error) {
      if (!(error instanceof DirectiveError)) throw error
      return this.#refuse(error.message)
    }
    if (!this.#isOver && first.length > found.length) this.#data(first.subarray(found.length))
  }

  /** The line has not come in time, or the client has ended before. */
  #lineIsLate(): void {
    const first = this.#first
    this.#leaveFirst()
    if (first === null || first.length === 0) return
    if (first.length < 4) this.#data(first)
    else this.#refuse('a whole line within 2 s')
  }

  #leaveFirst(): void {
    this.#first = null
    if (this.#firstTimer !== null) clearTimeout(this.#firstTimer)
    this.#firstTimer = null
  }

  #refuse(expected: string): void {
    this.#answers.send(`SVC error: ${expected}\n`)
    this.#isOver = true
    this.#end()
    this.#linger()
  }

  #steer(directives: Directives): void {
    const { record } = this.#connection
    const { delayMs, drip, abort, send, session, mode, words } = directives
    for (const word of words) record.directive(word)
    if (session !== undefined) record.session(session)
    if (delayMs !== undefined) record.fault('delay')
    else if (drip !== undefined) record.fault('drip')
    this.#writer.steer({ delayMs, drip })
    if (abort !== undefined) {
      this.#abort = abort
      if (abort.after === 0) return this.#act(abort)
    }
    if (send !== undefined) this.#writer.sendFrom(letters(send))
    if (mode === undefined) return
    record.mode(mode)
    const definition: ModeDefinition = MODES[mode]
    this.#readBytes = definition.readBytes ?? Infinity
    this.#mode = definition.connection(this.#context)
    this.#mode.open?.(this.#answers)
  }

  #data(bytes: Buffer): void {
    const abort = this.#abort
    const isDue = abort !== null && abort.after > 0 && this.#received + bytes.length >= abort.after
    const served = isDue ? bytes.subarray(0, abort.after - this.#received) : bytes
    this.#received += bytes.length
    if (isDue) this.#due = abort
    this.#waiting = this.#waiting === null ? served : Buffer.concat([this.#waiting, served])
    this.#answerWaiting()
  }

  /** Sends back what was received, in pieces: a few bytes can ask for many. False if too much is pending. */
  #answerWaiting(): boolean {
    const waiting = this.#waiting
    if (waiting === null) return !this.#writer.isHigh
    // Answers may relieve the pressure while they are made.
    this.#waiting = null
    let from = 0
    while (from < waiting.length && !this.#isOver) {
      if (this.#writer.isHigh) {
        const rest = waiting.subarray(from)
        this.#waiting = this.#waiting === null ? rest : Buffer.concat([rest, this.#waiting])
        return false
      }
      this.#mode.data(waiting.subarray(from, Math.min(waiting.length, from + this.#readBytes)), this.#answers)
      from += this.#readBytes
    }
    if (this.#due !== null && !this.#isOver) this.#act(this.#due)
    this.#due = null
    if (this.#hasEnded) this.#ended()
    return !this.#writer.isHigh
  }

  #act({ kind }: Abort): void {
    const { record, transport, socket } = this.#connection
    record.fault(kind)
    this.#isOver = true
    switch (kind) {
      case 'reset':
        record.ends('server_reset')
        this.#writer.stop()
        resetSocket(transport)
        return
      case 'close':
        this.#end()
        this.#linger()
        return
      case 'half':
        this.#end()
        return
      case 'hang':
        this.#isHanging = true
        this.#writer.stop()
        socket.resume()
    }
  }

  /** The client has ended its side. */
  #ended(): void {
    const { socket, transport, record } = this.#connection
    if (this.#first !== null) this.#lineIsLate()
    this.#hasEnded = this.#waiting !== null && !this.#isOver
    if (this.#isHanging || this.#hasEnded) return
    const { on_fin: onFin = 'finish' } = this.#parts.options
    if (onFin === 'stay' && !socket.writableEnded) return
    if (onFin === 'close') {
      record.ends('server_reset')
      this.#writer.stop()
      resetSocket(transport)
      return
    }
    if (this.#isOver || this.#mode.end === undefined) this.#end()
    else this.#mode.end(this.#answers)
  }

  #end(): void {
    this.#writer.end()
  }

  /** The connection ends, also if the client does not. */
  #linger(): void {
    const { socket, transport } = this.#connection
    this.#isOver = true
    const close = (): void => {
      const timer = setTimeout(() => transport.destroy(), LINGER_MS)
      timer.unref()
      socket.once('close', () => clearTimeout(timer))
    }
    if (socket.writableFinished) close()
    else socket.once('finish', close)
  }
}
