/** Writes and reads elements of DER (X.690, 8.1). */

/** Identifier octets (X.690, 8.1.2) of the types that certificates and what belongs to them consist of. */
export const DER = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const

/** An element that was read. `encoded` includes tag and length. */
export interface DerElement {
  tag: number
  content: Buffer
  encoded: Buffer
}

/** The bytes are not DER, or have another structure. */
export class DerError extends Error {}

/** The identifier octet of a context-specific tag below 31. */
export function derContextTag(number: number, kind: 'primitive' | 'constructed'): number {
  return (kind === 'constructed' ? 0xa0 : 0x80) | number
}

/** An element with these contents, one after the other. */
export function derElement(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag, ...encodeLength(content.length)]), content])
}

function encodeLength(length: number): number[] {
  if (length < 128) return [length]
  const octets: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256)
  return [0x80 | octets.length, ...octets]
}

/** Splits bytes into elements. Throws a DerError if they are anything else. */
export function readDerElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const first = readElement(rest)
    elements.push(first)
    rest = rest.subarray(first.encoded.length)
  }
  return elements
}

/** The only element of these bytes, with this tag. Throws a DerError otherwise. */
export function readOnlyDerElement(bytes: Buffer, tag: number): DerElement {
  const elements = readDerElements(bytes)
  if (elements.length !== 1) throw new DerError('not exactly one element')
  return expectDerElement(elements[0], tag)
}

/** Throws a DerError unless there is an element and it has this tag. */
export function expectDerElement(found: DerElement | undefined, tag: number): DerElement {
  if (found?.tag !== tag) throw new DerError(`not the element ${tag}`)
  return found
}

/** Lengths of more than three octets, and tags from 31 on, are not supported. */
function readElement(bytes: Buffer): DerElement {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new DerError('not an element')
  const octets = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || octets > 3 || bytes.length < 2 + octets) throw new DerError('not a length')
  const length = octets === 0 ? first : bytes.readUIntBE(2, octets)
  const end = 2 + octets + length
  if (bytes.length < end) throw new DerError('too short')
  return { tag, content: bytes.subarray(2 + octets, end), encoded: bytes.subarray(0, end) }
}
