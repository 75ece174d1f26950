/** Reads an envelope: its version, the headers marked mustUnderstand, and the element that selects the operation. */
import { emptyBody, unsupportedEnvelope, headerNotUnderstood, notSoap } from './faults.ts'
import { versionOfEnvelope, type SoapVersion } from './versions.ts'
import { childElements, type Element } from './xml/element.ts'

/** The version of the envelope. Throws a fault if the root is not an envelope or the version is unknown. */
export function readVersion(root: Element): SoapVersion {
  if (root.local !== 'Envelope') throw notSoap(root.name)
  const version = versionOfEnvelope(root.namespace)
  if (version === null) throw unsupportedEnvelope(root.namespace)
  return version
}

/** The first element of the Body, after checking the headers. Throws a fault. */
export function readBodyElement(root: Element, { namespace }: SoapVersion): Element {
  const parts = childElements(root).filter(part => part.namespace === namespace)
  const header = parts.find(part => part.local === 'Header')
  if (header !== undefined) checkHeader(header, namespace)
  const body = parts.find(part => part.local === 'Body')
  const element = body && childElements(body)[0]
  if (element === undefined) throw emptyBody()
  return element
}

/** No operation understands any header block (SOAP 1.1, 4.2.3; SOAP 1.2 part 1, 5.2.3). */
function checkHeader(header: Element, namespace: string): void {
  const blocks = childElements(header).filter(block => {
    const own = new Map(
      block.attributes
        .filter(attribute => attribute.namespace === namespace)
        .map(({ local, value }) => [local, value.trim()]),
    )
    return (
      /^(?:1|true)$/.test(own.get('mustUnderstand') ?? '') &&
      isAddressedToService(own.get('actor') ?? own.get('role') ?? '')
    )
  })
  if (blocks.length > 0) throw headerNotUnderstood(blocks)
}

/** Whether an actor or role addresses the ultimate receiver. */
function isAddressedToService(actor: string): boolean {
  return actor === '' || actor.endsWith('/next') || actor.endsWith('ultimateReceiver')
}
