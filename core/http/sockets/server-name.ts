/** Reads the server name of a TLS connection from its first record, before any handshake (RFC 8446, 4.1.2; RFC 6066, 3). */

const HANDSHAKE = 22
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const RECORD_HEADER = 5
/** Maximum length of the fragments of a ClientHello in bytes. */
export const MAX_HELLO_BYTES = 16_384

/** What is known after some bytes. `none`: no TLS, or a ClientHello without a server name. */
export type ServerNameState =
  | { state: 'more' }
  | { state: 'none' }
  | { state: 'too-long' }
  | { state: 'name'; name: string }

/** Looks for the server name in the bytes received so far. Never throws. */
export function findServerName(bytes: Buffer): ServerNameState {
  const hello = collectHello(bytes)
  return 'state' in hello ? hello : readHello(hello.message)
}

/** The ClientHello without record headers. It can span several records (RFC 8446, 5.1). */
function collectHello(bytes: Buffer): { message: Buffer } | ServerNameState {
  const fragments: Buffer[] = []
  let size = 0
  for (let offset = 0; ; ) {
    if (offset < bytes.length && bytes[offset] !== HANDSHAKE) return { state: 'none' }
    if (bytes.length - offset < RECORD_HEADER) return { state: 'more' }
    const length = bytes.readUInt16BE(offset + 3)
    const fragment = bytes.subarray(offset + RECORD_HEADER, offset + RECORD_HEADER + length)
    fragments.push(fragment)
    size += fragment.length
    const message = Buffer.concat(fragments, size)
    if (message.length > 0 && message[0] !== CLIENT_HELLO) return { state: 'none' }
    if (message.length >= 4) {
      const needed = 4 + message.readUIntBE(1, 3)
      if (needed > MAX_HELLO_BYTES) return { state: 'too-long' }
      if (message.length >= needed) return { message: message.subarray(4, needed) }
    }
    if (fragment.length < length || length === 0) return { state: length === 0 ? 'none' : 'more' }
    offset += RECORD_HEADER + length
  }
}

function readHello(message: Buffer): ServerNameState {
  try {
    // legacy_version, random
    let offset = 2 + 32
    offset += 1 + message.readUInt8(offset) // legacy_session_id
    offset += 2 + message.readUInt16BE(offset) // cipher_suites
    offset += 1 + message.readUInt8(offset) // legacy_compression_methods
    if (offset >= message.length) return { state: 'none' }
    const end = offset + 2 + message.readUInt16BE(offset)
    offset += 2
    while (offset < end) {
      const type = message.readUInt16BE(offset)
      const length = message.readUInt16BE(offset + 2)
      if (type === SERVER_NAME) return readNames(message.subarray(offset + 4, offset + 4 + length))
      offset += 4 + length
    }
  } catch {
    // A malformed ClientHello: the handshake fails with an alert.
  }
  return { state: 'none' }
}

/** The list has one entry of type host_name in practice (RFC 6066, 3). */
function readNames(extension: Buffer): ServerNameState {
  if (extension.readUInt8(2) !== 0) return { state: 'none' }
  const name = extension.subarray(5, 5 + extension.readUInt16BE(3))
  return { state: 'name', name: name.toString('latin1').toLowerCase() }
}
