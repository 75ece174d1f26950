/** WebSocket frames as bytes (RFC 6455, 5), for both halves. */
import { createHash } from 'node:crypto'

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
/** Constant, so that runs can be compared. */
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d])
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

export interface Frame {
  opcode: number
  isFinal: boolean
  isMasked: boolean
  payload: Buffer
}

/** Value of Sec-WebSocket-Accept for a key (RFC 6455, 4.2.2). */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}${GUID}`).digest('base64')
}

export function encodeFrame(
  opcode: number,
  payload: Buffer | string,
  { isMasked = false, isFinal = true }: { isMasked?: boolean; isFinal?: boolean } = {},
): Buffer {
  const content = Buffer.from(payload)
  const head = [(isFinal ? 0x80 : 0) | opcode]
  const mask = isMasked ? 0x80 : 0
  if (content.length < 126) head.push(mask | content.length)
  else if (content.length < 65_536) head.push(mask | 126, content.length >> 8, content.length & 255)
  else {
    const size = Buffer.alloc(8)
    size.writeBigUInt64BE(BigInt(content.length))
    head.push(mask | 127, ...size)
  }
  if (isMasked) unmask(content, MASK)
  return Buffer.concat([Buffer.from(head), ...(isMasked ? [MASK] : []), content])
}

export function closeFrame(code: number, reason: string, isMasked = false): Buffer {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(code)
  return encodeFrame(OPCODE.close, Buffer.concat([payload, Buffer.from(reason)]), { isMasked })
}

/** `code reason` of a close frame, or an empty text. */
export function closeText(payload: Buffer): string {
  return payload.length < 2 ? '' : `${payload.readUInt16BE(0)} ${payload.toString('utf8', 2)}`.trim()
}

/** Finds the frames in bytes that come in pieces. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0)

  read(bytes: Buffer): Frame[] {
    this.#pending = Buffer.concat([this.#pending, bytes])
    const frames: Frame[] = []
    for (let found = this.#next(); found !== null; found = this.#next()) frames.push(found)
    return frames
  }

  #next(): Frame | null {
    const bytes = this.#pending
    if (bytes.length < 2) return null
    const isMasked = bytes[1]! >= 0x80
    const short = bytes[1]! & 0x7f
    const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0
    const at = 2 + sizeBytes + (isMasked ? 4 : 0)
    if (bytes.length < at) return null
    const size =
      sizeBytes === 0 ? short : sizeBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2) & 0xffffffffn)
    if (bytes.length < at + size) return null
    const payload = Buffer.from(bytes.subarray(at, at + size))
    if (isMasked) unmask(payload, bytes.subarray(at - 4, at))
    this.#pending = bytes.subarray(at + size)
    return { opcode: bytes[0]! & 15, isFinal: bytes[0]! >= 0x80, isMasked, payload }
  }
}

function unmask(content: Buffer, mask: Buffer): void {
  for (let index = 0; index < content.length; index++) content[index]! ^= mask[index & 3]!
}

/** What one side of a connection received. Plain JSON. */
export interface Conversation {
  messages: { opcode: number; size: number; sha256: string; frames: number }[]
  controls: { opcode: number; text: string }[]
  masked: number
  unmasked: number
}

const MAX_MESSAGES = 200

/** Puts frames together to messages. */
export class ConversationReader {
  readonly seen: Conversation = { messages: [], controls: [], masked: 0, unmasked: 0 }
  readonly #reader = new FrameReader()
  #parts: Buffer[] = []
  #opcode = 0

  /** Calls the listener with each whole message and each control frame. */
  read(bytes: Buffer, onMessage?: (opcode: number, payload: Buffer) => void): void {
    for (const { opcode, isFinal, isMasked, payload } of this.#reader.read(bytes)) {
      if (isMasked) this.seen.masked++
      else this.seen.unmasked++
      if (opcode >= OPCODE.close) {
        const text = opcode === OPCODE.close ? closeText(payload) : payload.toString('utf8')
        if (this.seen.controls.length < MAX_MESSAGES) this.seen.controls.push({ opcode, text })
        onMessage?.(opcode, payload)
        continue
      }
      if (opcode !== OPCODE.continuation) this.#opcode = opcode
      this.#parts.push(payload)
      if (!isFinal) continue
      const message = Buffer.concat(this.#parts)
      if (this.seen.messages.length < MAX_MESSAGES)
        this.seen.messages.push({
          opcode: this.#opcode,
          size: message.length,
          sha256: createHash('sha256').update(message).digest('hex'),
          frames: this.#parts.length,
        })
      this.#parts = []
      onMessage?.(this.#opcode, message)
    }
  }
}

export function conversationIn(bytes: Buffer): Conversation {
  const reader = new ConversationReader()
  reader.read(bytes)
  return reader.seen
}
