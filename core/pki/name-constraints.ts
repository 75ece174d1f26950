/** The extension nameConstraints (RFC 5280, 4.2.1.10): the DNS names that a CA may issue certificates for. */
import { contextTag, DER, element } from './der.ts'

const PERMITTED_SUBTREES = contextTag(0, 'constructed')
const DNS_NAME = contextTag(2, 'primitive')

/** The value of the extension in DER. A name includes all names below it. */
export function nameConstraints(permitted: readonly string[]): Uint8Array<ArrayBuffer> {
  const subtrees = permitted.map(name => element(DER.sequence, element(DNS_NAME, Buffer.from(name, 'latin1'))))
  return new Uint8Array(element(DER.sequence, element(PERMITTED_SUBTREES, ...subtrees)))
}
