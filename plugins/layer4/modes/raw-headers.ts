/** The mode `raw-headers`: answers a request of HTTP with its head as it was received. */
import { trimEndCharacters } from 'svc/toolkit'
import { Lines } from './lines.ts'
import type { ModeDefinition } from './mode.ts'

const MAX_HEAD = 65_536

export const rawHeaders: ModeDefinition = {
  connection() {
    const lines = new Lines(MAX_HEAD)
    const head: string[] = []
    let size = 0
    let isAnswered = false
    return {
      data(bytes, { send, end }) {
        if (isAnswered) return
        const isShort = lines.add(bytes, line => {
          if (isAnswered || size > MAX_HEAD) return
          const text = trimEndCharacters(line.toString('latin1'), '\r')
          isAnswered = text === ''
          if (text !== '') head.push(text)
          size += line.length
        })
        if (!isAnswered && isShort && size <= MAX_HEAD) return
        if (isAnswered) {
          const body = Buffer.from(`${head.join('\n')}\n`, 'latin1')
          send(
            `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
          )
          send(body)
        }
        isAnswered = true
        head.length = 0
        end()
      },
    }
  },
  datagram: () => null,
}
