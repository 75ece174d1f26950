/** Reads the group of the key exchange from what a TLS server sends (RFC 8446, 4.1.3; RFC 8422, 5.4). */

const HANDSHAKE = 22
const SERVER_HELLO = 2
const SERVER_KEY_EXCHANGE = 12
const SERVER_HELLO_DONE = 14
const KEY_SHARE = 51
const SUPPORTED_VERSIONS = 43
const NAMED_CURVE = 3
const RECORD_HEADER = 5
/** A ServerHello with this random asks for another ClientHello. */
const RETRY_RANDOM = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex')

/** Names of OpenSSL by code point (IANA: TLS Supported Groups). */
const GROUPS: Readonly<Record<number, string>> = {
  23: 'prime256v1',
  24: 'secp384r1',
  25: 'secp521r1',
  26: 'brainpoolP256r1',
  27: 'brainpoolP384r1',
  28: 'brainpoolP512r1',
  29: 'X25519',
  30: 'X448',
  256: 'ffdhe2048',
  257: 'ffdhe3072',
  258: 'ffdhe4096',
  4587: 'SecP256r1MLKEM768',
  4588: 'X25519MLKEM768',
  4589: 'SecP384r1MLKEM1024',
}

/** What is known after some bytes. `group` is null if the handshake has no key exchange in clear, or an unknown group. */
export type GroupState = { state: 'more' } | { state: 'found'; group: string | null }

const NONE: GroupState = { state: 'found', group: null }

/** Looks for the group in the bytes that the server has sent so far. Never throws. */
export function findChosenGroup(bytes: Buffer): GroupState {
  try {
    return read(bytes)
  } catch {
    return NONE
  }
}

function read(bytes: Buffer): GroupState {
  const { messages, isEnded } = collect(bytes)
  let offset = 0
  while (messages.length - offset >= 4) {
    const type = messages[offset]!
    const end = offset + 4 + messages.readUIntBE(offset + 1, 3)
    if (end > messages.length) break
    const body = messages.subarray(offset + 4, end)
    offset = end
    if (type === SERVER_HELLO) {
      const hello = readHello(body)
      if (hello.isRetry) continue
      if (hello.group !== undefined) return { state: 'found', group: hello.group }
      // A resumed session of TLS 1.3 without a new key exchange has no key_share.
      if (hello.isTls13) return NONE
    } else if (type === SERVER_KEY_EXCHANGE)
      return body[0] === NAMED_CURVE ? { state: 'found', group: GROUPS[body.readUInt16BE(1)] ?? null } : NONE
    else if (type === SERVER_HELLO_DONE) return NONE
  }
  return isEnded ? NONE : { state: 'more' }
}

/** The handshake messages in clear. Other records than those of the handshake end them, except for the one of compatibility. */
function collect(bytes: Buffer): { messages: Buffer; isEnded: boolean } {
  const fragments: Buffer[] = []
  let offset = 0
  while (bytes.length - offset >= RECORD_HEADER) {
    const type = bytes[offset]
    const end = offset + RECORD_HEADER + bytes.readUInt16BE(offset + 3)
    // ChangeCipherSpec may follow a HelloRetryRequest (RFC 8446, D.4).
    if (type === HANDSHAKE) fragments.push(bytes.subarray(offset + RECORD_HEADER, end))
    else if (type !== 20) return { messages: Buffer.concat(fragments), isEnded: true }
    if (end > bytes.length) break
    offset = end
  }
  return { messages: Buffer.concat(fragments), isEnded: false }
}

function readHello(body: Buffer): { isRetry: boolean; isTls13: boolean; group?: string | null } {
  const isRetry = body.subarray(2, 34).equals(RETRY_RANDOM)
  let offset = 34
  offset += 1 + body.readUInt8(offset) // legacy_session_id_echo
  offset += 3 // cipher_suite, legacy_compression_method
  let isTls13 = false
  let group: string | null | undefined
  if (offset < body.length) {
    const end = offset + 2 + body.readUInt16BE(offset)
    offset += 2
    while (offset < end) {
      const type = body.readUInt16BE(offset)
      const length = body.readUInt16BE(offset + 2)
      if (type === SUPPORTED_VERSIONS) isTls13 = true
      if (type === KEY_SHARE) group = GROUPS[body.readUInt16BE(offset + 4)] ?? null
      offset += 4 + length
    }
  }
  return { isRetry, isTls13, ...(group !== undefined && { group }) }
}
