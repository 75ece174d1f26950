/** The extension nameConstraints (RFC 5280, 4.2.1.10): the DNS names that a CA may issue certificates for. */
import { DER, derContextTag, derElement } from '../toolkit/der.ts'

const PERMITTED_SUBTREES = derContextTag(0, 'constructed')
const DNS_NAME = derContextTag(2, 'primitive')

/** The value of the extension in DER. A name includes all names below it. */
export function nameConstraints(permitted: readonly string[]): Uint8Array<ArrayBuffer> {
  const subtrees = permitted.map(name => derElement(DER.sequence, derElement(DNS_NAME, Buffer.from(name, 'latin1'))))
  return new Uint8Array(derElement(DER.sequence, derElement(PERMITTED_SUBTREES, ...subtrees)))
}
