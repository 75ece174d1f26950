/** A claimed request while it arrives. */
import { createHash, type Hash } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { Socket } from 'node:net'
import type { Arrival, ConnectionEnd, TapChunk, TapFields } from '../../contract/tap.ts'
import type { BodyReader } from './message-framing.ts'

const MAX_KEPT = 1280 * 1024
const MAX_CHUNKS = 2_000

/** Milliseconds since the epoch that never go backwards. */
export function tapNow(): number {
  return performance.timeOrigin + performance.now()
}

export interface ArrivalFacts {
  step: string
  connection: number
  requestOnConnection: number
  listener: Arrival['listener']
  socket: Socket
  protocol: Arrival['protocol']
  reader: BodyReader
}

export class LiveArrival implements Arrival {
  readonly step: string
  readonly connection: number
  readonly requestOnConnection: number
  readonly listener: Arrival['listener']
  readonly peer: string
  readonly tls: Arrival['tls']
  readonly protocol: Arrival['protocol']
  readonly head: Buffer
  readonly headAtMs: number
  readonly chunks: TapChunk[] = []
  firstBodyByteMs: number | null = null
  lastByteMs: number
  size = 0
  bodySize = 0
  ended: ConnectionEnd = null
  endedMs: number | null = null
  trailers: TapFields = []
  readonly notes: Record<string, unknown> = {}
  resetCode: number | null = null
  readonly whenReceived: Promise<void>
  readonly whenEnded: Promise<void>
  readonly #reader: BodyReader
  #kept: Buffer[] = []
  #keptBytes = 0
  readonly #hash: Hash = createHash('sha256')
  readonly #bodyHash: Hash = createHash('sha256')
  #received!: () => void
  #finished!: () => void

  constructor(head: Buffer, { socket, ...facts }: ArrivalFacts) {
    this.step = facts.step
    this.connection = facts.connection
    this.requestOnConnection = facts.requestOnConnection
    this.listener = facts.listener
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`
    this.tls = tlsFactsOf(socket)
    this.protocol = facts.protocol
    this.head = Buffer.from(head)
    this.headAtMs = tapNow()
    this.lastByteMs = this.headAtMs
    this.whenReceived = new Promise(resolve => (this.#received = resolve))
    this.whenEnded = new Promise(resolve => (this.#finished = resolve))
    this.#reader = facts.reader
    this.#keep(head)
    this.checkReceived()
  }

  get framing(): Arrival['framing'] {
    return this.#reader.state
  }
  get truncated(): boolean {
    return this.size > this.#keptBytes
  }
  get bytes(): Buffer {
    return Buffer.concat(this.#kept)
  }
  get sha256(): string {
    return this.#hash.copy().digest('hex')
  }
  get bodySha256(): string {
    return this.#bodyHash.copy().digest('hex')
  }

  /** Reads the body from these bytes; returns how many of them belong to the request. */
  take(bytes: Buffer): number {
    const taken = this.#reader.take(bytes, content => {
      this.bodySize += content.length
      this.#bodyHash.update(content)
    })
    if (taken > 0) {
      this.firstBodyByteMs ??= tapNow()
      this.#keep(bytes.subarray(0, taken))
    }
    this.checkReceived()
    return taken
  }

  /** Resolves `whenReceived` if the reader knows that the message has ended. */
  checkReceived(): void {
    if (this.framing !== 'incomplete') this.#received()
  }

  /** Adds bytes that follow the request although its connection is about to end. */
  addStray(bytes: Buffer): void {
    this.#keep(bytes)
  }

  end(how: Exclude<ConnectionEnd, null>): void {
    if (this.ended !== null) return
    this.ended = how
    this.endedMs = tapNow()
    this.#received()
    this.#finished()
  }

  #keep(bytes: Buffer): void {
    this.size += bytes.length
    this.#hash.update(bytes)
    this.lastByteMs = tapNow()
    if (this.chunks.length < MAX_CHUNKS) this.chunks.push({ atMs: this.lastByteMs, size: bytes.length })
    const kept = bytes.subarray(0, MAX_KEPT - this.#keptBytes)
    if (kept.length === 0) return
    // A copy, so that the bytes of others in the same buffer are not kept.
    this.#kept.push(Buffer.from(kept))
    this.#keptBytes += kept.length
  }
}

function tlsFactsOf(socket: Socket): Arrival['tls'] {
  if ((socket as Partial<TLSSocket>).encrypted !== true) return null
  const secured = socket as TLSSocket & { servername?: string | false }
  return {
    version: secured.getProtocol(),
    alpn: secured.alpnProtocol || null,
    sni: secured.servername || null,
    clientCertificate: Object.keys(secured.getPeerCertificate() ?? {}).length > 0,
  }
}
