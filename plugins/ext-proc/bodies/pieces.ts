/** Changes of bodies that need no more than a piece of them. */
import { isUtf8 } from 'node:buffer'
import type { PersonalData } from '../../guardrails/types.ts'
import type { PieceChange } from '../plan.ts'

const NOTHING = Buffer.alloc(0)

/** ASCII letters in upper case. */
export function upperCase(): PieceChange {
  return {
    held: 0,
    push(piece) {
      const changed = Buffer.from(piece)
      for (let index = 0; index < changed.length; index++) {
        const byte = changed[index]!
        if (byte >= 0x61 && byte <= 0x7a) changed[index] = byte - 0x20
      }
      return changed
    },
  }
}

/** Bytes behind the body. */
export function append(bytes: Buffer): PieceChange {
  return { held: 0, push: (piece, isLast) => (isLast ? Buffer.concat([piece, bytes]) : piece) }
}

/** A fixed body in place of the one that is received. */
export function replaceWith(body: Buffer): PieceChange {
  let isSent = false
  return {
    held: 0,
    push() {
      if (isSent) return NOTHING
      isSent = true
      return body
    },
  }
}

/** What an entity of the built-in types consists of; a space only between groups of digits. */
const ENTITY = /[A-Za-z0-9._%+\-@:() ]/
/** Longer than any entity of the built-in types. */
const LONGEST = 512
/** Of the text before what is held: detectors look at the characters around an entity. */
const CONTEXT = 8

/** Personal data as labels. What may be the beginning of an entity waits until it is decided. */
export class Redaction implements PieceChange {
  readonly #personalData: PersonalData
  #bytes: Buffer = NOTHING
  #context = ''

  constructor(personalData: PersonalData) {
    this.#personalData = personalData
  }

  get held(): number {
    return this.#bytes.length
  }

  push(piece: Buffer, isLast: boolean): Buffer {
    const bytes = this.#bytes.length === 0 ? piece : Buffer.concat([this.#bytes, piece])
    const whole = isLast ? bytes.length : completeCharacters(bytes)
    const known = bytes.subarray(0, whole)
    if (!isUtf8(known)) {
      this.#bytes = NOTHING
      this.#context = ''
      return bytes
    }
    const text = known.toString()
    const entities = this.#entities(text)
    const end = isLast ? text.length : decidedLength(text, entities)
    let changed = ''
    let from = 0
    for (const entity of entities) {
      if (entity.end > end) break
      changed += text.slice(from, entity.start) + entity.label
      from = entity.end
    }
    changed += text.slice(from, end)
    this.#context = (this.#context + text.slice(0, end)).slice(-CONTEXT)
    this.#bytes = Buffer.from(bytes.subarray(Buffer.byteLength(text.slice(0, end))))
    return Buffer.from(changed)
  }

  #entities(text: string): ReturnType<PersonalData['entities']> {
    const { length } = this.#context
    return this.#personalData
      .entities(this.#context + text)
      .filter(({ start }) => start >= length)
      .map(({ start, end, label }) => ({ start: start - length, end: end - length, label }))
  }
}

/** How much of a text no entity can reach that is not complete yet. */
function decidedLength(text: string, entities: readonly { start: number; end: number }[]): number {
  const oldest = Math.max(0, text.length - LONGEST)
  let end = oldest
  // Two characters behind it are known.
  for (let index = text.length - 2; index > oldest; index--)
    if (isBoundary(text[index - 1]!, text[index]!)) {
      end = index
      break
    }
  const cut = entities.find(entity => entity.start < end && entity.end > end)
  return cut === undefined ? end : cut.start
}

/** Whether no entity has both characters. */
function isBoundary(before: string, after: string): boolean {
  if (!ENTITY.test(before) || !ENTITY.test(after)) return !isSurrogate(after)
  if (before === ' ') return !/[0-9(]/.test(after)
  return after === ' ' && !/[0-9)]/.test(before)
}

function isSurrogate(character: string): boolean {
  return character >= '\udc00' && character <= '\udfff'
}

/** Bytes without the beginning of a UTF-8 character at the end. */
function completeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length
  }
  return bytes.length
}
