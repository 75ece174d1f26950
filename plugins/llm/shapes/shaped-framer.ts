/** The first part of stream shapes: other bytes for the same events, and where an event is cut. */
import type { Framing, StreamEvent } from '../contract/stream.ts'
import { framings } from '../streaming/framing.ts'
import { itemOf, type StreamShape } from './shape.ts'

const BOM = Buffer.from([0xef, 0xbb, 0xbf])
/** The frame whose checksum `bad-crc` makes wrong. */
const BAD_FRAME = 3

/** An event as bytes. */
export interface ShapedEvent {
  /** Lines before the event that are not part of it: comments, `retry`, a byte order mark. */
  lead: Buffer
  bytes: Buffer
  /** Where its data begin and end, without what ends the event. */
  dataStart: number
  dataEnd: number
}

export interface ShapedFramer {
  readonly head: Buffer
  readonly tail: Buffer
  /** `isLast`: no event follows. */
  frame(event: StreamEvent, isLast: boolean): ShapedEvent
  /** What is sent when nothing was sent for a while. */
  readonly ping: Buffer
}

const EMPTY = Buffer.alloc(0)

/** A framer for one stream; it counts the events. */
export function shapedFramer(framing: Framing, shape: StreamShape): ShapedFramer {
  if (framing === 'sse' || framing === 'sse-crlf') return new SseFramer(framing === 'sse-crlf', shape)
  if (framing === 'ndjson') return new LineFramer(shape)
  return new PlainFramer(framing, shape)
}

/** Reads `comments=<text>[@k]`. */
function commentsOf(shape: StreamShape): { text: string; every: number } | null {
  const value = itemOf(shape, 'comments')
  if (typeof value !== 'string') return null
  const at = value.lastIndexOf('@')
  return at < 0 ? { text: value, every: 1 } : { text: value.slice(0, at), every: Number(value.slice(at + 1)) }
}

function isDue(comments: { every: number } | null, index: number): boolean {
  return comments !== null && index % comments.every === 0
}

/** Data as lines of text: indented JSON, or one line. */
function textOf({ data }: StreamEvent, isIndented: boolean): string {
  if (!isIndented) return typeof data === 'string' ? data : JSON.stringify(data)
  if (typeof data !== 'string') return JSON.stringify(data, null, 2)
  try {
    return JSON.stringify(JSON.parse(data), null, 2)
  } catch {
    // Not JSON, such as `[DONE]`.
    return data
  }
}

class SseFramer implements ShapedFramer {
  readonly head: Buffer
  readonly tail: Buffer
  readonly ping: Buffer
  readonly #isNameless: boolean
  readonly #end: string
  readonly #space: string
  readonly #isIndented: boolean
  readonly #comments: ReturnType<typeof commentsOf>
  readonly #hasIds: boolean
  readonly #hasNoEnd: boolean
  #count = 0

  /** `isNameless`: events have no names, and lines end in CRLF. */
  constructor(isNameless: boolean, shape: StreamShape) {
    const has = (name: string): boolean => itemOf(shape, name) !== undefined
    this.#isNameless = isNameless
    this.#end = has('cr') ? '\r' : isNameless || has('crlf') ? '\r\n' : '\n'
    this.#space = has('nospace') ? '' : ' '
    this.#isIndented = has('multiline')
    this.#comments = commentsOf(shape)
    this.#hasIds = has('eventid')
    this.#hasNoEnd = has('no-end')
    // Some readers wait for what follows a CR, which may be a CRLF: a further empty line ends the last event for them.
    this.tail = has('cr') && !this.#hasNoEnd ? Buffer.from('\r') : EMPTY
    const retry = itemOf(shape, 'retry')
    const end = this.#end
    const retryLines = retry === undefined ? '' : `retry:${this.#space}${String(retry)}${end}${end}`
    this.head = Buffer.concat([has('bom') ? BOM : EMPTY, Buffer.from(retryLines)])
    this.ping = Buffer.from(`: ping${end}${end}`)
  }

  frame(event: StreamEvent, isLast: boolean): ShapedEvent {
    this.#count += 1
    const end = this.#end
    const space = this.#space
    const lead = isDue(this.#comments, this.#count) ? `: ${this.#comments!.text}${end}${end}` : ''
    const id = this.#hasIds ? `id:${space}${this.#count}${end}` : ''
    const name = event.event === undefined || this.#isNameless ? '' : `event:${space}${event.event}${end}`
    const before = id + name
    const lines = textOf(event, this.#isIndented).split('\n')
    const data = lines.map(line => `data:${space}${line}${end}`)
    const bytes = Buffer.from(before + data.join('') + (isLast && this.#hasNoEnd ? '' : end))
    const dataStart = Buffer.byteLength(before)
    return { lead: Buffer.from(lead), bytes, dataStart, dataEnd: dataStart + Buffer.byteLength(data[0]!) - end.length }
  }
}

class LineFramer implements ShapedFramer {
  readonly head: Buffer
  readonly tail = EMPTY
  readonly ping: Buffer
  readonly #end: string
  readonly #comments: ReturnType<typeof commentsOf>
  readonly #hasNoEnd: boolean
  #count = 0

  constructor(shape: StreamShape) {
    this.#end = itemOf(shape, 'crlf') === undefined ? '\n' : '\r\n'
    this.head = itemOf(shape, 'bom') === undefined ? EMPTY : BOM
    this.ping = Buffer.from(this.#end)
    this.#comments = commentsOf(shape)
    this.#hasNoEnd = itemOf(shape, 'no-end') !== undefined
  }

  frame(event: StreamEvent, isLast: boolean): ShapedEvent {
    this.#count += 1
    const text = textOf(event, false)
    return {
      lead: isDue(this.#comments, this.#count) ? this.ping : EMPTY,
      bytes: Buffer.from(text + (isLast && this.#hasNoEnd ? '' : this.#end)),
      dataStart: 0,
      dataEnd: Buffer.byteLength(text),
    }
  }
}

/** Frames that keep their form: JSON arrays, and AWS event streams. */
class PlainFramer implements ShapedFramer {
  readonly head: Buffer
  readonly tail: Buffer
  readonly ping = EMPTY
  readonly #framing: Framing
  readonly #isIndented: boolean
  readonly #hasBadFrame: boolean
  #count = 0

  constructor(framing: Framing, shape: StreamShape) {
    const { head, tail } = framings[framing]
    this.#framing = framing
    this.#isIndented = itemOf(shape, 'multiline') !== undefined
    this.#hasBadFrame = itemOf(shape, 'bad-crc') !== undefined
    this.head = Buffer.concat([itemOf(shape, 'bom') === undefined ? EMPTY : BOM, Buffer.from(head)])
    this.tail = itemOf(shape, 'no-done') === undefined ? Buffer.from(tail) : EMPTY
  }

  frame(event: StreamEvent): ShapedEvent {
    this.#count += 1
    const { frame } = framings[this.#framing]
    const shaped = this.#isIndented ? { ...event, data: textOf(event, true) } : event
    const bytes = Buffer.from(frame(shaped, this.#count === 1))
    if (this.#framing !== 'aws-eventstream')
      return { lead: EMPTY, bytes, dataStart: bytes.indexOf('{'), dataEnd: bytes.length }
    if (this.#hasBadFrame && this.#count === BAD_FRAME) bytes[bytes.length - 1]! ^= 0xff
    return { lead: EMPTY, bytes, dataStart: payloadStart(bytes), dataEnd: bytes.length - CHECKSUM_BYTES }
  }
}

const CHECKSUM_BYTES = 4
const PRELUDE_BYTES = 12

/** The prelude has the length of the headers. */
function payloadStart(frame: Buffer): number {
  return PRELUDE_BYTES + frame.readUInt32BE(4)
}

/** Where an event is cut; null: it is written whole. */
export function cutOf({ bytes, dataStart, dataEnd }: ShapedEvent, split: string, framing: Framing): number | null {
  if (split === 'utf8') {
    const first = bytes.findIndex((byte, index) => index >= dataStart && index < dataEnd && byte >= 0xc0)
    return first < 0 ? null : first + 1
  }
  if (split === 'end')
    return framing === 'json-array' || dataEnd === bytes.length ? null : endOf(bytes, framing, dataEnd)
  if (split !== 'line') return null
  return framing === 'aws-eventstream' ? bytes.length >> 1 : (dataStart + dataEnd) >> 1
}

/** Before the blank line of an SSE event, the line feed of a line, or the checksum of a frame. */
function endOf(bytes: Buffer, framing: Framing, dataEnd: number): number {
  if (framing === 'aws-eventstream') return bytes.length - CHECKSUM_BYTES
  if (framing === 'ndjson') return dataEnd
  return bytes.length - (bytes.at(-2) === 0x0d ? 2 : 1)
}
