/**
 * Caches header lines that were validated before. Node validates each name and value with regular expressions and
 * concatenates four parts per line: with twenty headers this is a tenth of a request, although nearly all lines repeat
 * those of the previous response.
 */
import { copyText } from '../../collections/text-memory.ts'
import { isToken } from '../../fields/token.ts'

interface Line {
  value: string
  text: string
}

/** RFC 9110, 5.5: a value contains no control characters. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Headers for framing and connection handling, and headers that may be lists: Node reads these itself. */
export const READ_BY_NODE: ReadonlySet<string> = new Set([
  'connection',
  'content-disposition',
  'content-length',
  'cookie',
  'date',
  'expect',
  'keep-alive',
  'set-cookie',
  'trailer',
  'transfer-encoding',
])
/** Maximum number of cached names; plugins and clients may invent any number. */
const MAX_NAMES = 500
/** Maximum length of a cached name, and of a cached value. */
const MAX_NAME = 100
const MAX_VALUE = 1000

export class HeaderLineCache {
  /** Maps a name, as written, to the line that was last sent. */
  readonly #lines = new Map<string, Line>()

  /** `name: value` with its line end; null if Node has to read or reject the header. */
  lineOf(name: string, given: unknown): string | null {
    const value = typeof given === 'number' ? String(given) : given
    const known = this.#lines.get(name)
    return known !== undefined && known.value === value ? known.text : this.#compose(name, value, known)
  }

  #compose(name: string, value: unknown, known: Line | undefined): string | null {
    if (typeof value !== 'string' || (known === undefined && (READ_BY_NODE.has(name.toLowerCase()) || !isToken(name))))
      return null
    if (!VALUE.test(value)) return null
    const text = `${name}: ${value}\r\n`
    if (known !== undefined) {
      if (value.length > MAX_VALUE) return text
      known.value = value
      known.text = text
    } else if (this.#lines.size < MAX_NAMES && name.length <= MAX_NAME && value.length <= MAX_VALUE)
      this.#lines.set(copyText(name), { value: copyText(value), text: copyText(text) })
    return text
  }
}
