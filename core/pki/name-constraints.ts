/** The extension nameConstraints (RFC 5280, 4.2.1.10): the DNS names that a CA may issue certificates for. */

const SEQUENCE = 0x30
/** `permittedSubtrees`, and `dNSName` of a general name. */
const PERMITTED = 0xa0
const DNS_NAME = 0x82

/** The value of the extension in DER. A name includes all names below it. */
export function nameConstraints(permitted: readonly string[]): Uint8Array<ArrayBuffer> {
  const subtrees = permitted.map(name => element(SEQUENCE, element(DNS_NAME, Buffer.from(name, 'latin1'))))
  return new Uint8Array(element(SEQUENCE, element(PERMITTED, Buffer.concat(subtrees))))
}

/** An element of DER (X.690, 8.1) with up to 65535 bytes of content. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
