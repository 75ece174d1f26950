/** A client for raw connections: the bytes, and how the connection ends. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Exchange {
  /** Everything received, as latin1. */
  text: string
  /** `fin`: the other side closed; `reset`: it reset the connection (ECONNRESET). */
  end: 'fin' | 'reset'
}

/** Sends bytes and waits for the end of the connection; rejects after ten seconds. */
export function exchange(port: number, bytes: string | Buffer, { tls = false } = {}): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const socket: Socket = tls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect(port, '127.0.0.1')
    let text = ''
    const finish = (end: Exchange['end']): void => {
      socket.destroy()
      resolve({ text, end })
    }
    socket.once(tls ? 'secureConnect' : 'connect', () => socket.write(bytes))
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
    })
    socket.on('end', () => finish('fin'))
    socket.on('error', error => ((error as { code?: string }).code === 'ECONNRESET' ? finish('reset') : reject(error)))
    socket.setTimeout(10_000, () => reject(new Error('the connection did not end within 10 s')))
  })
}

/** Splits a response into head and body. */
export function splitResponse(text: string): { head: string; body: string } {
  const end = text.indexOf('\r\n\r\n')
  return end === -1 ? { head: text, body: '' } : { head: text.slice(0, end), body: text.slice(end + 4) }
}
