/** The mode `raw-headers`: answers a request of HTTP with its head as it was received. */
import type { ModeDefinition } from './mode.ts'

const MAX_HEAD = 65_536

const END = '\r\n\r\n'

export const rawHeaders: ModeDefinition = {
  connection() {
    let pieces: Buffer[] = []
    let size = 0
    let isAnswered = false
    /** The last bytes of what came before, in which the end of the head may begin. */
    let tail: Buffer = Buffer.alloc(0)
    return {
      data(bytes, { send, end }) {
        if (isAnswered) return
        pieces.push(bytes)
        if (pieces.length >= 64) pieces = [Buffer.concat(pieces)]
        const around = Buffer.concat([tail, bytes])
        const at = around.indexOf(END)
        const headBytes = size - tail.length + at
        size += bytes.length
        tail = around.subarray(-(END.length - 1))
        if (at === -1 && size <= MAX_HEAD) return
        isAnswered = true
        if (at !== -1 && headBytes <= MAX_HEAD) {
          const lines = Buffer.concat(pieces).toString('latin1', 0, headBytes).split('\r\n')
          const body = Buffer.from(lines.map(line => `${line}\n`).join(''), 'latin1')
          send(
            `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
          )
          send(body)
        }
        pieces = []
        end()
      },
    }
  },
  datagram: () => null,
}
