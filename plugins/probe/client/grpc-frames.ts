/** Messages of gRPC: a flag, the length, and the message (gRPC over HTTP/2). */

/** The flag of the frame with the trailers in gRPC-Web. */
const TRAILERS = 0x80

export function grpcFrame(message: Buffer, flag = 0): Buffer {
  const head = Buffer.alloc(5)
  head[0] = flag
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** The frame with the trailers of gRPC-Web. */
export function trailersFrame(lines: string): Buffer {
  return grpcFrame(Buffer.from(lines, 'latin1'), TRAILERS)
}

/** The field `message` of `svc.echo.v1.EchoRequest` and `EchoResponse`. */
export function echoMessage(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x0a, bytes.length]), bytes])
}

/** Complete frames; what follows them is left out. */
export function grpcFrames(bytes: Buffer): { messages: string[]; trailers: string | null } {
  const messages: string[] = []
  let trailers: string | null = null
  for (let at = 0; at + 5 <= bytes.length; ) {
    const flag = bytes[at]!
    const end = at + 5 + bytes.readUInt32BE(at + 1)
    if (end > bytes.length) break
    const content = bytes.toString('latin1', at + 5, end)
    if ((flag & TRAILERS) === 0) messages.push(content)
    else trailers = content
    at = end
  }
  return { messages, trailers }
}
