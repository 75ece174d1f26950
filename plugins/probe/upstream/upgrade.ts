/** The upstream half after a 101: a WebSocket that echoes messages, or bytes that are written back. */
import { acceptOf, ConversationReader, encodeFrame, OPCODE, type Conversation } from '../client/websocket-frames.ts'
import type { ScriptWriter } from './answer.ts'

function valueOf(head: Buffer, name: string): string {
  const line = head
    .toString('latin1')
    .split('\r\n')
    .find(one => one.toLowerCase().startsWith(`${name}:`))
  return line?.slice(name.length + 1).trim() ?? ''
}

/** Whether the request asks for this protocol (RFC 9110, 7.8). */
export function asksFor(head: Buffer, protocol: string): boolean {
  return valueOf(head, 'upgrade')
    .toLowerCase()
    .split(',')
    .some(one => one.trim() === protocol)
}

export class WebSocketEnd {
  readonly #writer: ScriptWriter
  readonly #reader = new ConversationReader()
  #hasSentClose = false
  #closed!: () => void
  /** Resolves after a closing handshake. */
  readonly whenClosed: Promise<void> = new Promise(resolve => (this.#closed = resolve))

  constructor(writer: ScriptWriter) {
    this.#writer = writer
  }

  get seen(): Conversation {
    return this.#reader.seen
  }

  /** Writes the 101. */
  async accept(head: Buffer, protocol: string | null): Promise<void> {
    const key = valueOf(head, 'sec-websocket-key')
    const chosen = protocol === null ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`
    await this.#writer.write(
      Buffer.from(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptOf(key)}\r\n${chosen}\r\n`,
      ),
    )
    this.#writer.onBytes(bytes => this.#reader.read(bytes, (opcode, payload) => this.#onMessage(opcode, payload)))
  }

  async send(opcode: number, payload: Buffer): Promise<void> {
    if (opcode === OPCODE.close) this.#hasSentClose = true
    await this.#writer.write(encodeFrame(opcode, payload))
  }

  #onMessage(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE.pong) return
    if (opcode === OPCODE.ping) return void this.send(OPCODE.pong, payload)
    if (opcode !== OPCODE.close) return void this.send(opcode, payload)
    if (!this.#hasSentClose) void this.send(OPCODE.close, payload)
    this.#closed()
  }
}

/** Accepts the upgrade to h2c, and writes back what comes, as nobody who speaks HTTP/2 does. */
export async function acceptH2c(writer: ScriptWriter): Promise<void> {
  await writer.write(Buffer.from('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'))
  writer.onBytes(bytes => void writer.write(bytes))
}
