/**
 * Lines of heads that were checked before. Node checks each name and each value by regular expressions and puts a line
 * together of four parts: with twenty headers a tenth of a request, though nearly all are those of the answer before.
 */
import { isToken } from '../../fields/token.ts'

interface Line {
  value: string
  text: string
}

/** RFC 9110, 5.5: a value has no control characters. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** What says how the body is framed and whether the connection stays, and what may be a list: Node reads these itself. */
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
/** Names to remember; plugins and clients may make up any number. */
const MAX_NAMES = 500
/** Characters of a value to remember. */
const MAX_VALUE = 1000

export class HeaderLineCache {
  /** By name as it is written, the line that went out last. */
  readonly #lines = new Map<string, Line>()

  /** `name: value` with its line end; null where Node has to read the header, or to refuse it. */
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
    } else if (this.#lines.size < MAX_NAMES && value.length <= MAX_VALUE) this.#lines.set(name, { value, text })
    return text
  }
}
