/** gRPC requests of `ForwardEcho`: `Echo` of Istio's service at another server. */
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { status } from '@grpc/grpc-js'
import { openConnection } from './connection.ts'
import { Collected, connectionLines, type Exchange, requestLines } from './exchange.ts'

const FRAME_HEADER_BYTES = 5

/** Returns the lines of a call. */
export async function forwardGrpc(exchange: Exchange): Promise<string> {
  const { plan, svc, signal, service, via } = exchange
  const lines = requestLines(exchange)
  const startedAt = performance.now()
  const { target } = plan
  const destination = await exchange.destinationOf(target)
  const isSecure = target.scheme === 'grpcs'
  const connection = await openConnection({
    target,
    destination,
    plan,
    isSecure,
    alpn: ['h2'],
    demoCa: svc.pki.caCertificate,
    signal,
  })
  const session = connectHttp2(`http://${target.authority}`, { createConnection: () => connection })
  session.on('error', () => {})
  try {
    const { path, requestSerialize, responseDeserialize } = service.Echo!
    const stream = session.request(
      {
        ...Object.fromEntries(plan.headers.map(([name, value]) => [name.toLowerCase(), value])),
        via,
        ':method': 'POST',
        ':path': path,
        ':scheme': isSecure ? 'https' : 'http',
        ':authority': plan.host ?? target.authority,
        'content-type': 'application/grpc',
        te: 'trailers',
      },
      { signal },
    )
    const fields: IncomingHttpHeaders[] = []
    const collected = new Collected()
    stream.on('response', head => fields.push(head))
    stream.on('trailers', trailers => fields.push(trailers))
    stream.end(framed(requestSerialize({ message: plan.message })))
    for await (const piece of stream as AsyncIterable<Buffer>) collected.add(piece)
    const valueOf = (name: string): string | undefined =>
      fields.map(list => list[name]).findLast((value): value is string => typeof value === 'string')
    const code = Number(valueOf('grpc-status') ?? status.UNKNOWN)
    if (code !== status.OK)
      throw new Error(`rpc error: code = ${status[code] ?? code} desc = ${decoded(valueOf('grpc-message') ?? '')}`)
    const { bytes } = collected
    if (bytes.length < FRAME_HEADER_BYTES || bytes[0] !== 0) throw new Error('the response is not a gRPC message')
    const { message = '' } = responseDeserialize(bytes.subarray(FRAME_HEADER_BYTES)) as { message?: string }
    connectionLines(lines, exchange, startedAt, connection.localAddress)
    lines.body(message)
    return lines.toString()
  } finally {
    session.destroy()
    connection.destroy()
  }
}

/** An uncompressed message with its length. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEADER_BYTES)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** A status message, which is percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
