/** JSON whose long integers keep their digits: templates insert the number that was sent, not the nearest double. */
import { EXACT as BRAND, isExact, setOwn, type Json, type JsonObject } from './json.ts'

/** Integers with fewer digits are exact as doubles. */
const MIN_DIGITS = 16
const NUMBER = /^-?\d{16,}$/

/** An integer that no double is equal to. It is typed as a number: everything but `writeJson` sees the nearest double. */
class ExactNumber {
  readonly [BRAND] = true
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }

  toJSON(): number {
    return Number(this.digits)
  }

  valueOf(): number {
    return Number(this.digits)
  }

  toString(): string {
    return this.digits
  }
}

/** Parses JSON. Throws a SyntaxError like `JSON.parse`. The result is for `memberAt` and templates, not for comparisons. */
export function parseExactJson(text: string): Json {
  const value = JSON.parse(text) as Json
  const marked = markLongIntegers(text)
  if (marked === null) return value
  return JSON.parse(marked.text, (_key, member: Json) =>
    typeof member === 'string' && member.startsWith(marked.mark)
      ? (new ExactNumber(member.slice(marked.mark.length)) as unknown as Json)
      : member,
  ) as Json
}

/** The text with each long integer as a string that starts with `mark`, which no string of the text does; null without any. */
function markLongIntegers(text: string): { text: string; mark: string } | null {
  if (!/\d{16}/.test(text)) return null
  let mark = 'svc-number '
  while (text.includes(mark)) mark = `${mark}- `
  const parts: string[] = []
  let done = 0
  let index = 0
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) index = endOfString(text, index)
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, index)
      const token = text.slice(index, end)
      if (token.length >= MIN_DIGITS && NUMBER.test(token) && BigInt(token) !== BigInt(Number(token))) {
        parts.push(text.slice(done, index), JSON.stringify(mark + token))
        done = end
      }
      index = end
    } else index++
  }
  return parts.length === 0 ? null : { text: parts.join('') + text.slice(done), mark }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && text.charCodeAt(index) !== QUOTE) index += text.charCodeAt(index) === BACKSLASH ? 2 : 1
  return index + 1
}

function endOfNumber(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && /[\d.eE+-]/.test(text[index]!)) index++
  return index
}

/** The text of a value, in which long integers from `parseExactJson` have their digits. */
export function writeJson(value: Json): string {
  if (isExact(value)) return String(value)
  if (!hasExact(value)) return JSON.stringify(value)
  const digits: string[] = []
  const plain = JSON.stringify(value)
  let mark = 'svc-number '
  while (plain.includes(mark)) mark = `${mark}- `
  const marked = JSON.stringify(value, function replace(this: Record<string, unknown>, key: string, member: unknown) {
    const own = this[key]
    return isExact(own) ? `${mark}${digits.push(String(own)) - 1}` : member
  })
  return marked.replaceAll(new RegExp(`"${mark}(\\d+)"`, 'g'), (_whole, index: string) => digits[Number(index)]!)
}

/** The value with its long integers as texts, for formats other than JSON. */
export function exactAsText(value: Json): Json {
  if (!hasExact(value)) return value
  if (isExact(value)) return String(value)
  if (Array.isArray(value)) return value.map(exactAsText)
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value as JsonObject)) setOwn(copy, name, exactAsText(member))
  return copy
}

function hasExact(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (isExact(value)) return true
  return Array.isArray(value) ? value.some(hasExact) : Object.values(value).some(hasExact)
}
