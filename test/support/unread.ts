/** Clients that ask for something and never read it. */
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { FRAME, fieldBlock, frame, PREFACE } from './http2-frames.ts'

const WINDOW_UPDATE = 8
const END_STREAM = 0x1
const END_HEADERS = 0x4

/** Keeps connections open until `cutAll`. */
export interface UnreadClients {
  /** A connection that sends bytes and reads nothing. Resolves when all are sent, or the server takes no more. */
  raw(bytes: Buffer | string): Promise<Socket>
  /** Calls of `BidiStream` on one HTTP/2 connection, which send messages of this size as long as the server takes them. */
  calls(url: string, options: { calls: number; messages: number; messageBytes: number }): Promise<void>
  /** Calls of a method, by its path, on one HTTP/2 connection, which send these messages, each with its prefix. */
  streams(url: string, path: string, options: { calls: number; messages: readonly Buffer[] }): Promise<void>
  cutAll(): void
}

export function unreadClients(port: number): UnreadClients {
  const open: { destroy(): void }[] = []
  return {
    async raw(bytes) {
      const socket = connect(port, '127.0.0.1')
      open.push(socket)
      socket.on('error', () => {}).pause()
      socket.write(bytes)
      await untilStalled(() => socket.bytesWritten - socket.writableLength)
      return socket
    },
    calls(url, { calls, messages, messageBytes }) {
      const message = echoRequest(messageBytes)
      const list = Array.from({ length: messages }, () => message)
      return this.streams(url, '/svc.echo.v1.EchoService/BidiStream', { calls, messages: list })
    },
    async streams(url, path, { calls, messages }) {
      const session = connectHttp2(url, { rejectUnauthorized: false })
      open.push(session)
      session.on('error', () => {})
      let sent = 0
      for (let count = 0; count < calls; count++) {
        const call = session.request({
          ':method': 'POST',
          ':path': path,
          'content-type': 'application/grpc',
          te: 'trailers',
        })
        call.on('error', () => {})
        let index = 0
        const next = (): void => {
          const message = messages[index++]
          if (message !== undefined && !call.destroyed)
            call.write(message, () => {
              sent++
              next()
            })
        }
        next()
      }
      await untilStalled(() => sent)
    },
    cutAll() {
      for (const client of open.splice(0)) client.destroy()
    },
  }
}

/** Resolves when a count has not grown for a while: the server accepts nothing more. */
async function untilStalled(count: () => number): Promise<void> {
  for (let same = 0, last = -1; same < 10; ) {
    await new Promise(resolve => setTimeout(resolve, 50))
    const now = count()
    same = now === last ? same + 1 : 0
    last = now
  }
}

/** A length-prefixed `EchoRequest` with a message of `a`s. */
export function echoRequest(bytes: number): Buffer {
  const length: number[] = []
  let rest = bytes
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128)
  length.push(rest)
  const payload = Buffer.concat([Buffer.from([0x0a, ...length]), Buffer.alloc(bytes, 'a')])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

/** A connection with prior knowledge whose windows are as large as they can be, and requests without bodies. */
export function http2Requests(fields: Record<string, string>, count: number): Buffer {
  const initialWindow = frame(FRAME.settings, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]))
  const window = frame(WINDOW_UPDATE, 0, 0, Buffer.from([0x7f, 0xff, 0, 0]))
  const requests = Array.from({ length: count }, (_, index) =>
    frame(FRAME.headers, END_HEADERS | END_STREAM, index * 2 + 1, fieldBlock(fields)),
  )
  return Buffer.concat([PREFACE, initialWindow, window, ...requests])
}
