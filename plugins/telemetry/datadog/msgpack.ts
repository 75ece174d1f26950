/** Decodes MessagePack (the specification of msgpack.org), within bounds. */
import type { Json, JsonObject } from 'svc/plugin'
import { setOwn } from 'svc/toolkit'

export class MsgpackProblem extends Error {}

export interface MsgpackBounds {
  levels: number
  /** Values of all kinds. */
  values: number
}

/** Integers that no number is equal to become their digits; binary and extension types, base64. Throws `MsgpackProblem`. */
export function decodeMsgpack(bytes: Buffer, bounds: MsgpackBounds): Json {
  const decoder = new Decoder(bytes, bounds)
  const value = decoder.value(bounds.levels)
  if (!decoder.isAtEnd) throw new MsgpackProblem('there are bytes after the value')
  return value
}

class Decoder {
  readonly #bytes: Buffer
  #at = 0
  #left: number

  constructor(bytes: Buffer, { values }: MsgpackBounds) {
    this.#bytes = bytes
    this.#left = values
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  value(levels: number): Json {
    if (--this.#left < 0) throw new MsgpackProblem('there are too many values')
    const type = this.#unsigned(1)
    if (type <= 0x7f) return type
    if (type >= 0xe0) return type - 0x100
    if (type <= 0x8f) return this.#map(type & 0x0f, levels)
    if (type <= 0x9f) return this.#array(type & 0x0f, levels)
    if (type <= 0xbf) return this.#text(type & 0x1f)
    switch (type) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#take(this.#unsigned(2 ** (type - 0xc4))).toString('base64')
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#extension(this.#unsigned(2 ** (type - 0xc7)))
      case 0xca:
        return finite(this.#take(4).readFloatBE())
      case 0xcb:
        return finite(this.#take(8).readDoubleBE())
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#unsigned(2 ** (type - 0xcc))
      case 0xcf:
        return exact(this.#take(8).readBigUInt64BE())
      case 0xd0:
      case 0xd1:
      case 0xd2:
        return this.#take(2 ** (type - 0xd0)).readIntBE(0, 2 ** (type - 0xd0))
      case 0xd3:
        return exact(this.#take(8).readBigInt64BE())
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#extension(2 ** (type - 0xd4))
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#unsigned(2 ** (type - 0xd9)))
      case 0xdc:
      case 0xdd:
        return this.#array(this.#unsigned(2 * (type - 0xdb)), levels)
      case 0xde:
      case 0xdf:
        return this.#map(this.#unsigned(2 * (type - 0xdd)), levels)
      default:
        throw new MsgpackProblem(`the type 0x${type.toString(16)} is unknown`)
    }
  }

  #array(length: number, levels: number): Json[] {
    if (levels === 0) throw new MsgpackProblem('the value is nested too deeply')
    const list: Json[] = []
    for (let index = 0; index < length; index++) list.push(this.value(levels - 1))
    return list
  }

  #map(length: number, levels: number): JsonObject {
    if (levels === 0) throw new MsgpackProblem('the value is nested too deeply')
    const object: JsonObject = {}
    for (let index = 0; index < length; index++) {
      const key = this.value(levels - 1)
      if (typeof key !== 'string' && typeof key !== 'number') throw new MsgpackProblem('a key is not a text')
      setOwn(object, String(key), this.value(levels - 1))
    }
    return object
  }

  #text(length: number): string {
    return this.#take(length).toString()
  }

  /** Its first byte is the type. */
  #extension(length: number): string {
    this.#take(1)
    return this.#take(length).toString('base64')
  }

  #unsigned(length: number): number {
    return this.#take(length).readUIntBE(0, length)
  }

  #take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new MsgpackProblem('the value is cut off')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}

function exact(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}
