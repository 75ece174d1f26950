/** Writes the events of a stream in a shape: each write is one chunk, in a turn of the event loop of its own. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BodyStream } from 'svc/plugin'
import type { Framing, StreamEvent } from '../contract/stream.ts'
import { framings } from '../streaming/framing.ts'
import type { StreamOutput, Written } from '../streaming/output.ts'
import { tokensOf } from '../streaming/tokens-of.ts'
import { itemOf, type StreamShape } from './shape.ts'
import { cutOf, shapedFramer, type ShapedFramer } from './shaped-framer.ts'

export interface ShapedOutputOptions {
  shape: StreamShape
  framing: Framing
  now: () => number
  /** Bytes that `split=byte` writes one by one. */
  maxSingleBytes: number
}

/** A write, and what has been written of the stream once it is done. */
interface Write {
  bytes: Buffer
  events: number
  tokens: number
}

/** An event that waits, since only the next call tells whether it is the last. */
interface Held {
  event: StreamEvent
}

export class ShapedOutput implements StreamOutput {
  readonly written: Written = { events: 0, tokens: 0, firstTokenAt: null }
  readonly #stream: BodyStream
  readonly #options: ShapedOutputOptions
  readonly #framer: ShapedFramer
  readonly #split: string | null
  readonly #join: number
  readonly #heartbeatMs: number
  #heartbeat: NodeJS.Timeout | undefined
  #queue: Write[] = []
  /** The writing of the queue; null: it is empty. */
  #writing: Promise<void> | null = null
  /** Bytes that wait for a full write (`split=<n>`), or for more events (`join`). */
  #carried: Buffer[] = []
  #carriedBytes = 0
  #joined = 0
  #singleBytes: number
  #events = 0
  #tokens = 0
  #held: Held | null = null
  readonly #holdsLast: boolean

  constructor(stream: BodyStream, options: ShapedOutputOptions) {
    const { shape, framing, maxSingleBytes } = options
    this.#stream = stream
    this.#options = options
    this.#framer = shapedFramer(framing, shape)
    const split = itemOf(shape, 'split')
    this.#split = typeof split === 'string' ? split : null
    this.#join = Number(itemOf(shape, 'join') ?? 1)
    this.#heartbeatMs = Number(itemOf(shape, 'heartbeat') ?? 0)
    this.#singleBytes = maxSingleBytes
    this.#holdsLast = itemOf(shape, 'no-end') !== undefined
  }

  get isWritable(): boolean {
    return this.#writing === null
  }

  begin(): void {
    this.#carry(this.#framer.head)
    if (this.#heartbeatMs > 0) {
      this.#armHeartbeat()
      void this.#stream.over.then(() => clearTimeout(this.#heartbeat))
    }
  }

  add(event: StreamEvent): void {
    if (!this.#holdsLast) return this.#addNow(event, false)
    if (this.#held !== null) this.#addNow(this.#held.event, false)
    this.#held = { event }
  }

  addExtra(event: StreamEvent, isBroken: boolean): void {
    this.#releaseHeld(false)
    const { data } = event
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    const shown = isBroken ? { ...event, data: text.slice(0, Math.max(1, text.length >> 1)) } : event
    const { bytes } = framedOr(this.#framer, shown, this.#options.framing)
    if (this.#isInPieces) return this.#addInPieces(bytes)
    this.#enqueueCarried()
    this.#enqueue(bytes)
  }

  /** Each event is written as soon as it is added, but for what `join` and `split` hold back. */
  flush(): void {
    this.#releaseHeld(false)
  }

  writeAll(): Promise<void> {
    this.#releaseHeld(false)
    this.#enqueueCarried()
    return this.ready()
  }

  async ready(): Promise<void> {
    while (this.#writing !== null && !this.#stream.closed) await this.#writing
  }

  end(isWhole: boolean): void {
    this.#releaseHeld(isWhole)
    const { tail } = this.#framer
    if (isWhole && tail.length > 0)
      if (this.#isInPieces) this.#addInPieces(tail)
      else this.#carry(tail)
    void this.#finish()
  }

  async #finish(): Promise<void> {
    this.#enqueueCarried()
    await this.ready()
    this.#stream.end()
  }

  #releaseHeld(isLast: boolean): void {
    if (this.#held === null) return
    const { event } = this.#held
    this.#held = null
    this.#addNow(event, isLast)
  }

  #addNow(event: StreamEvent, isLast: boolean): void {
    const framed = this.#framer.frame(event, isLast)
    this.#events += 1
    this.#tokens += tokensOf(event)
    if (this.#isInPieces) return this.#addInPieces(Buffer.concat([framed.lead, framed.bytes]))
    const before = Buffer.concat([...this.#carried, framed.lead])
    this.#takeCarried()
    const split = this.#split
    if (split !== null) {
      const cut = cutOf(framed, split, this.#options.framing)
      if (cut !== null) {
        this.#queue.push({ ...this.#sofar(-1), bytes: Buffer.concat([before, framed.bytes.subarray(0, cut)]) })
        return this.#enqueue(framed.bytes.subarray(cut))
      }
    }
    this.#carry(Buffer.concat([before, framed.bytes]))
    if (++this.#joined >= this.#join) this.#enqueueCarried()
  }

  /** Whether the bytes are cut regardless of events: `split=byte` and `split=<n>`. */
  get #isInPieces(): boolean {
    return this.#split === 'byte' || Number(this.#split ?? 0) > 0
  }

  #addInPieces(bytes: Buffer): void {
    const all = Buffer.concat([...this.#carried, bytes])
    if (this.#split !== 'byte') return this.#addInSizes(all, Number(this.#split))
    this.#takeCarried()
    this.#addInBytes(all)
  }

  /** A write every `size` bytes, across events. */
  #addInSizes(bytes: Buffer, size: number): void {
    this.#takeCarried()
    let at = 0
    for (; bytes.length - at >= size; at += size) this.#enqueue(bytes.subarray(at, at + size), at + size < bytes.length)
    this.#carry(bytes.subarray(at))
  }

  #addInBytes(bytes: Buffer): void {
    const single = Math.min(this.#singleBytes, bytes.length)
    this.#singleBytes -= single
    for (let at = 0; at < single; at++) this.#enqueue(bytes.subarray(at, at + 1), at + 1 < bytes.length)
    if (single < bytes.length) this.#enqueue(bytes.subarray(single))
  }

  #carry(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#carried.push(bytes)
    this.#carriedBytes += bytes.length
  }

  #takeCarried(): void {
    this.#carried = []
    this.#carriedBytes = 0
  }

  #enqueueCarried(): void {
    this.#joined = 0
    if (this.#carriedBytes === 0) return
    const bytes = Buffer.concat(this.#carried)
    this.#takeCarried()
    this.#enqueue(bytes)
  }

  /** What is written with this event (0), or with the one before (-1). */
  #sofar(offset: 0 | -1): Omit<Write, 'bytes'> {
    const last = this.#lastQueued
    return offset === 0 ? { events: this.#events, tokens: this.#tokens } : last
  }

  get #lastQueued(): Omit<Write, 'bytes'> {
    const { events, tokens } = this.#queue.at(-1) ?? this.written
    return { events, tokens }
  }

  /** `isPart`: the current event has more bytes. */
  #enqueue(bytes: Buffer, isPart = false): void {
    this.#queue.push({ bytes, ...this.#sofar(isPart ? -1 : 0) })
    this.#writing ??= this.#write()
  }

  async #write(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined && !this.#stream.closed; next = this.#queue.shift()) {
      const isWritable = this.#stream.write(next.bytes)
      this.#count(next)
      this.#armHeartbeat()
      if (!isWritable) await this.#stream.ready()
      await nextTurn()
    }
    this.#queue = []
    this.#writing = null
  }

  #count({ events, tokens }: Write): void {
    this.written.events = events
    this.written.tokens = tokens
    if (this.written.firstTokenAt === null && tokens > 0) this.written.firstTokenAt = this.#options.now()
  }

  #armHeartbeat(): void {
    if (this.#heartbeatMs === 0) return
    clearTimeout(this.#heartbeat)
    this.#heartbeat = setTimeout(() => this.#sendHeartbeat(), this.#heartbeatMs).unref()
  }

  /** Between events only: an event that waits for more bytes must not be interrupted. */
  #sendHeartbeat(): void {
    if (this.#stream.closed) return
    if (this.#queue.length === 0 && this.#carriedBytes === 0) this.#enqueue(this.#framer.ping)
    else this.#armHeartbeat()
  }
}

/** The bytes of an extra event: in the shape if it is complete, otherwise plain. */
function framedOr(framer: ShapedFramer, event: StreamEvent, framing: Framing): { bytes: Buffer } {
  if (typeof event.data !== 'string') return framer.frame(event, false)
  return { bytes: Buffer.from(framings[framing].frame(event, false)) }
}
