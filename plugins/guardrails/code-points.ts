/** Text offsets: APIs count Unicode code points, JavaScript counts UTF-16 units. */

/** Converts UTF-16 indexes of one text into code point indexes. */
export function codePointIndex(text: string): (unit: number) => number {
  const pairs: number[] = []
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) pairs.push(index++)
  }
  if (pairs.length === 0) return unit => unit
  return unit => unit - countBelow(pairs, unit)
}

/** Number of code points in a text. */
export function codePointLength(text: string): number {
  let length = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) {
      length--
      index++
    }
  }
  return length
}

/** Converts code point indexes into UTF-16 indexes; fast if called with ascending indexes. */
export function unitIndex(text: string): (point: number) => number {
  let unit = 0
  let point = 0
  return wanted => {
    if (wanted < point) unit = point = 0
    while (point < wanted && unit < text.length) {
      unit += text.codePointAt(unit)! > 0xffff ? 2 : 1
      point++
    }
    return unit
  }
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < limit) low = middle + 1
    else high = middle
  }
  return low
}

const WORD = /[\p{L}\p{N}\p{M}_]/u

/** Whether the character at a UTF-16 index is a letter, number, combining mark or `_`. */
export function isWordAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  if (unit < 0x80) return isAsciiWord(unit)
  if (Number.isNaN(unit)) return false
  return WORD.test(String.fromCodePoint(text.codePointAt(index)!))
}

/** The same for the character before the index. */
export function isWordBefore(text: string, index: number): boolean {
  if (index <= 0) return false
  const isPair = isLowSurrogate(text.charCodeAt(index - 1)) && index >= 2
  return isWordAt(text, isPair ? index - 2 : index - 1)
}

function isAsciiWord(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f
  )
}
