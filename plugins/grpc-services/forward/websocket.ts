/** WebSocket requests of `ForwardEcho`: one message, and the answer to it. */
import { WebSocket } from 'ws'
import { openConnection } from './connection.ts'
import { connectionLines, type Exchange, MAX_RESPONSE_BYTES, requestLines } from './exchange.ts'

/** Returns the lines of a request. */
export async function forwardWebSocket(exchange: Exchange): Promise<string> {
  const { plan, svc, signal, via } = exchange
  const lines = requestLines(exchange)
  const startedAt = performance.now()
  const { target } = plan
  const destination = await exchange.destinationOf(target)
  const connection = await openConnection({
    target,
    destination,
    plan,
    isSecure: target.scheme === 'wss',
    alpn: ['http/1.1'],
    demoCa: svc.pki.caCertificate,
    signal,
  })
  // The connection is the one that was checked, and secure if it has to be.
  const socket = new WebSocket(`ws://${target.authority}${target.path}`, {
    createConnection: () => connection,
    headers: { ...Object.fromEntries(plan.headers), Host: plan.host ?? target.authority, Via: via },
    followRedirects: false,
    perMessageDeflate: false,
    maxPayload: MAX_RESPONSE_BYTES,
  })
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('unexpected-response', (_request, response) =>
        reject(new Error(`the handshake got ${response.statusCode}`)),
      )
      socket.once('close', code => reject(new Error(`the WebSocket was closed with ${code}`)))
      socket.once('open', () => socket.send(plan.message))
      socket.once('message', data => resolve(String(data)))
    })
    connectionLines(lines, exchange, startedAt, connection.localAddress)
    lines.add('StatusCode', 200)
    lines.body(answer)
    return lines.toString()
  } finally {
    socket.on('error', () => {})
    socket.terminate()
    connection.destroy()
  }
}
