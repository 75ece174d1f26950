/** The mock tokenizer: splits a text into tokens (pieces). */

const pieceLetters = 4
const letterOrDigit = /[\p{L}\p{N}]/u
const space = /\s/u

type Kind = 0 | 1 | 2
const SPACE: Kind = 0
const WORD: Kind = 1
const OTHER: Kind = 2

function kindOf(character: string): Kind {
  if (letterOrDigit.test(character)) return WORD
  return space.test(character) ? SPACE : OTHER
}

const pageBits = 8
/** Kinds of code points, by 256: a regular expression for each character would be ten times slower. */
const pages: (Uint8Array | undefined)[] = [makePage(0)]

function makePage(page: number): Uint8Array {
  return Uint8Array.from({ length: 1 << pageBits }, (_, at) => kindOf(String.fromCodePoint((page << pageBits) + at)))
}

function kindAt(code: number): Kind {
  const page = code >> pageBits
  return (pages[page] ??= makePage(page))[code & 0xff] as Kind
}

/**
 * Calls `found` with the end offset of each piece, and returns the number of pieces. A run of letters and digits is
 * split every four characters. Every other character is a piece, except white space, which belongs to the next piece.
 */
function scan(text: string, found: (end: number) => boolean | void): number {
  let count = 0
  let inWord = 0
  let open = false
  let at = 0
  while (at < text.length) {
    let code = text.charCodeAt(at)
    if (code >= 0xd800 && code < 0xdc00) code = text.codePointAt(at) ?? code
    const kind = kindAt(code)
    const next = at + (code > 0xffff ? 2 : 1)
    if (inWord > 0 && (kind !== WORD || inWord === pieceLetters)) {
      count++
      if (found(at) === false) return count
      inWord = 0
      open = false
    }
    if (kind === WORD) inWord++
    else if (kind === OTHER) {
      count++
      if (found(next) === false) return count
    }
    open = kind !== OTHER
    at = next
  }
  if (open) {
    count++
    found(text.length)
  }
  return count
}

/** Calls `found` with the end offset of each piece until it returns false. */
export function eachPiece(text: string, found: (end: number) => boolean): void {
  scan(text, found)
}

const ignore = (): void => {}

/** Number of pieces in a text: 4 for `hello world`, 0 for the empty text. */
export function count(text: string): number {
  return scan(text, ignore)
}

/** The pieces of a text; joined, they are equal to it. */
export function pieces(text: string): string[] {
  const result: string[] = []
  let start = 0
  scan(text, end => {
    result.push(text.slice(start, end))
    start = end
  })
  return result
}

const WORDS = /[\p{L}\p{N}]+/gu

/** The lower-case words of a text: runs of Unicode letters and digits. */
export function words(text: string): string[] {
  return text.toLowerCase().match(WORDS) ?? []
}

/** The same words, one after the other. */
export function* eachWord(text: string): Iterable<string> {
  for (const [word] of text.toLowerCase().matchAll(WORDS)) yield word
}
