/**
 * Reads Protocol Buffers field by field, so that a message is decoded one part at a time: a message of two bytes becomes an
 * object of a hundred, and whoever decodes all at once has no bound.
 */

/** The bytes are no message of this kind; the text says where. */
export class WireProblem extends Error {}

const VARINT = 0
const I64 = 1
const LEN = 2
const I32 = 5
const HIGH = 2 ** 32

/** How the value of a field is read, and which JSON it becomes (the JSON mapping of OTLP: ids in hexadecimal). */
export type ScalarKind = 'text' | 'hex' | 'base64' | 'uint' | 'int' | 'bool' | 'fixed64' | 'sfixed64' | 'double'

export interface WireField {
  name: string
  kind: ScalarKind | Layout
  isRepeated?: true
}

/** The fields of a message by their number; others are skipped. */
export type Layout = () => ReadonlyMap<number, WireField>

const WIRE_TYPES: Readonly<Record<ScalarKind, number>> = {
  text: LEN,
  hex: LEN,
  base64: LEN,
  uint: VARINT,
  int: VARINT,
  bool: VARINT,
  fixed64: I64,
  sfixed64: I64,
  double: I64,
}

/** Steps through the fields of one message. */
export class WireReader {
  readonly #bytes: Buffer
  #at = 0
  #start = 0
  #low = 0
  #high = 0
  field = 0
  type = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Reads the next field; false at the end. Throws a `WireProblem`. */
  next(): boolean {
    if (this.#at >= this.#bytes.length) return false
    this.#varint()
    const tag = this.#high * HIGH + this.#low
    this.type = tag % 8
    this.field = Math.floor(tag / 8)
    if (this.field === 0 || this.field >= 2 ** 29) throw new WireProblem('a field has an invalid number')
    this.#start = this.#at
    if (this.type === VARINT) this.#varint()
    else if (this.type === I64) this.#at += 8
    else if (this.type === I32) this.#at += 4
    else if (this.type === LEN) {
      this.#varint()
      this.#start = this.#at
      this.#at += this.#high * HIGH + this.#low
    } else throw new WireProblem(`field ${this.field} has the unknown wire type ${this.type}`)
    if (this.#at > this.#bytes.length) throw new WireProblem(`field ${this.field} is cut off`)
    return true
  }

  /** The content of the field: a view of the message. */
  get content(): Buffer {
    return this.#bytes.subarray(this.#start, this.#at)
  }

  /** The value of the field as JSON. */
  scalar(kind: ScalarKind): string | number | boolean {
    if (this.type !== WIRE_TYPES[kind]) throw new WireProblem(`field ${this.field} has the wire type ${this.type}`)
    switch (kind) {
      case 'text':
        return this.#bytes.toString('utf8', this.#start, this.#at)
      case 'hex':
        return this.#bytes.toString('hex', this.#start, this.#at)
      case 'base64':
        return this.#bytes.toString('base64', this.#start, this.#at)
      case 'bool':
        return this.#low !== 0 || this.#high !== 0
      case 'uint':
        return exact(BigInt(this.#high) * BigInt(HIGH) + BigInt(this.#low))
      case 'int':
        return exact(BigInt.asIntN(64, BigInt(this.#high) * BigInt(HIGH) + BigInt(this.#low)))
      case 'fixed64':
        return exact(this.#bytes.readBigUInt64LE(this.#start))
      case 'sfixed64':
        return exact(this.#bytes.readBigInt64LE(this.#start))
      case 'double':
        return this.#bytes.readDoubleLE(this.#start)
    }
  }

  #varint(): void {
    const bytes = this.#bytes
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= bytes.length) throw new WireProblem('a number is cut off')
      const byte = bytes[this.#at++]!
      const bits = byte & 0x7f
      if (shift < 28) low += bits * 2 ** shift
      else if (shift === 28) {
        low += (bits & 0x0f) * 2 ** 28
        high = bits >> 4
      } else if (shift < 63) high += bits * 2 ** (shift - 32)
      else high += (bits & 1) * 2 ** 31
      if (byte < 0x80) {
        this.#low = low
        this.#high = high
        return
      }
    }
    throw new WireProblem('a number is too long')
  }
}

/** A number, or its digits if no number is equal to it. */
function exact(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
