/**
 * Reads the server name of a TLS connection, and the protocols that its client offers, from its first record, before any
 * handshake (RFC 8446, 4.1.2; RFC 6066, 3; RFC 7301, 3.1).
 */

const HANDSHAKE = 22
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const APPLICATION_PROTOCOLS = 16
const RECORD_HEADER = 5
/** Maximum length of the fragments of a ClientHello in bytes. */
export const MAX_HELLO_BYTES = 16_384
/** All are walked through for each piece that is received. */
const MAX_RECORDS = 1024

/** What is known after some bytes. `none`: no TLS, or a ClientHello without a server name. */
export type ServerNameState =
  | { state: 'more' }
  | { state: 'none' }
  | { state: 'too-long' }
  | { state: 'name'; name: string }

/** What a ClientHello says; see `ServerNameState`. */
export type ClientHelloState =
  | { state: 'more' }
  | { state: 'none' }
  | { state: 'too-long' }
  | { state: 'hello'; serverName: string | null; alpn: string[] }

/** Looks for the server name in the bytes received so far. Never throws. */
export function findServerName(bytes: Buffer): ServerNameState {
  const found = findClientHello(bytes)
  if (found.state !== 'hello') return found
  return found.serverName === null ? { state: 'none' } : { state: 'name', name: found.serverName }
}

/** Looks for the ClientHello in the bytes received so far. Never throws. */
export function findClientHello(bytes: Buffer): ClientHelloState {
  const hello = collectHello(bytes)
  return 'state' in hello ? hello : { state: 'hello', ...readHello(hello.message) }
}

/**
 * The ClientHello without record headers. It can span several records (RFC 8446, 5.1), which are joined once: a client can
 * send many of a byte each.
 */
function collectHello(bytes: Buffer): { message: Buffer } | { state: 'more' | 'none' | 'too-long' } {
  const fragments: Buffer[] = []
  const head = Buffer.alloc(4)
  let size = 0
  for (let offset = 0; ; ) {
    if (offset < bytes.length && bytes[offset] !== HANDSHAKE) return { state: 'none' }
    if (bytes.length - offset < RECORD_HEADER) return { state: 'more' }
    const length = bytes.readUInt16BE(offset + 3)
    const fragment = bytes.subarray(offset + RECORD_HEADER, offset + RECORD_HEADER + length)
    fragments.push(fragment)
    if (size < head.length) fragment.copy(head, size)
    size += fragment.length
    if (size > 0 && head[0] !== CLIENT_HELLO) return { state: 'none' }
    if (size >= head.length) {
      const needed = head.length + head.readUIntBE(1, 3)
      if (needed > MAX_HELLO_BYTES) return { state: 'too-long' }
      if (size >= needed) return { message: Buffer.concat(fragments, size).subarray(head.length, needed) }
    }
    if (fragments.length === MAX_RECORDS) return { state: 'too-long' }
    if (fragment.length < length || length === 0) return { state: length === 0 ? 'none' : 'more' }
    offset += RECORD_HEADER + length
  }
}

function readHello(message: Buffer): { serverName: string | null; alpn: string[] } {
  const found: { serverName: string | null; alpn: string[] } = { serverName: null, alpn: [] }
  try {
    // legacy_version, random
    let offset = 2 + 32
    offset += 1 + message.readUInt8(offset) // legacy_session_id
    offset += 2 + message.readUInt16BE(offset) // cipher_suites
    offset += 1 + message.readUInt8(offset) // legacy_compression_methods
    if (offset >= message.length) return found
    const end = offset + 2 + message.readUInt16BE(offset)
    offset += 2
    while (offset < end) {
      const type = message.readUInt16BE(offset)
      const length = message.readUInt16BE(offset + 2)
      const extension = message.subarray(offset + 4, offset + 4 + length)
      if (type === SERVER_NAME) found.serverName = readName(extension)
      if (type === APPLICATION_PROTOCOLS) found.alpn = readProtocols(extension)
      offset += 4 + length
    }
  } catch {
    // A malformed ClientHello: the handshake fails with an alert.
  }
  return found
}

/** The list has one entry of type host_name in practice (RFC 6066, 3). */
function readName(extension: Buffer): string | null {
  if (extension.readUInt8(2) !== 0) return null
  const name = extension.subarray(5, 5 + extension.readUInt16BE(3))
  return name.toString('latin1').toLowerCase()
}

function readProtocols(extension: Buffer): string[] {
  const protocols: string[] = []
  for (let offset = 2; offset < extension.length; offset += 1 + extension[offset]!)
    protocols.push(extension.toString('latin1', offset + 1, offset + 1 + extension[offset]!))
  return protocols
}
