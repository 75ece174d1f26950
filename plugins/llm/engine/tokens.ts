/** The mock tokenizer: splits a text into tokens (pieces). */

const pieceLetters = 4
const letterOrDigit = /[\p{L}\p{N}]/u
const space = /\s/u

type Kind = 0 | 1 | 2
const SPACE: Kind = 0
const WORD: Kind = 1
const OTHER: Kind = 2

/** A table for ASCII: most text is ASCII, and a regular expression per character is ten times slower. */
const asciiKinds: readonly Kind[] = Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

function kindOf(character: string): Kind {
  if (letterOrDigit.test(character)) return WORD
  return space.test(character) ? SPACE : OTHER
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
    const code = text.charCodeAt(at)
    const character = code < 128 ? '' : String.fromCodePoint(text.codePointAt(at) ?? code)
    const kind = code < 128 ? (asciiKinds[code] ?? OTHER) : kindOf(character)
    const next = at + (character.length || 1)
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

/** The lower-case words of a text: runs of Unicode letters and digits. */
export function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
