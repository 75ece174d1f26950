/** A WebSocket client for protocols of JSON messages. */
import { WebSocket } from 'ws'

export interface JsonSocket {
  socket: WebSocket
  /** Everything received that `next` has not taken. */
  messages: JsonMessage[]
  /** Frames that are not JSON. */
  broken: string[]
  send(message: object | string): void
  /** Takes all messages up to the first one that matches; rejects if the socket closes before. */
  until(matches: (message: JsonMessage) => boolean): Promise<JsonMessage[]>
  /** The first message of a type; those before it are dropped. */
  next(type: string): Promise<JsonMessage>
  closed: Promise<{ code: number; reason: string }>
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- messages of other products, of any shape
export type JsonMessage = Record<string, any>

export interface JsonSocketOptions {
  headers?: Record<string, string>
  protocols?: string[]
}

/** Connects; rejects with the status of the response if the handshake is refused. */
export async function connectJson(
  t: { teardown(callback: () => void): void },
  url: string,
  { headers = {}, protocols = [] }: JsonSocketOptions = {},
): Promise<JsonSocket> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, { headers })
  t.teardown(() => socket.terminate())
  const messages: JsonMessage[] = []
  const broken: string[] = []
  let wake = (): void => {}
  let isClosed = false
  socket.on('message', data => {
    const text = (data as Buffer).toString()
    try {
      messages.push(JSON.parse(text) as JsonMessage)
    } catch {
      broken.push(text)
    }
    wake()
  })
  const closed = new Promise<{ code: number; reason: string }>(resolve =>
    socket.once('close', (code, reason) => {
      isClosed = true
      wake()
      resolve({ code, reason: reason.toString() })
    }),
  )
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => reject(new RefusedHandshake(response.statusCode ?? 0, Buffer.concat(chunks).toString())))
    })
  })
  const until: JsonSocket['until'] = async matches => {
    for (;;) {
      const at = messages.findIndex(matches)
      if (at >= 0) return messages.splice(0, at + 1)
      if (isClosed) throw new Error(`the socket closed after ${JSON.stringify(messages)}`)
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
  return {
    socket,
    messages,
    broken,
    closed,
    until,
    send: message => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: async type => (await until(message => message.type === type)).at(-1)!,
  }
}

export class RefusedHandshake extends Error {
  readonly status: number
  readonly body: string
  constructor(status: number, body: string) {
    super(`the handshake got ${status}: ${body}`)
    this.status = status
    this.body = body
  }
}
