/** The token rule of the mock: how a text is cut into pieces, counted and shortened. */

const pieceLetters = 4
const letterOrDigit = /[\p{L}\p{N}]/u
const space = /\s/u

type Kind = 0 | 1 | 2
const SPACE: Kind = 0
const WORD: Kind = 1
const OTHER: Kind = 2

/** ASCII by table: nearly all text is, and a regular expression per character costs ten times as much. */
const asciiKinds: readonly Kind[] = Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

function kindOf(character: string): Kind {
  if (letterOrDigit.test(character)) return WORD
  return space.test(character) ? SPACE : OTHER
}

/**
 * Calls back with the end offset of every piece. A run of letters and digits is cut every four characters, every other
 * character that is no white space is a piece, white space joins the piece after it. Answers the number of pieces.
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

const ignore = (): void => {}

/** Number of pieces of a text: `hello world` has 4, the empty text 0. */
export function count(text: string): number {
  return scan(text, ignore)
}

/** The pieces of a text; joined they give it back. */
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
