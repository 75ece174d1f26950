/** Parsers for the values of environment variables. They return undefined for invalid values. */
import { isIP } from 'node:net'

/** Parses the trimmed value of a variable. */
export interface Parser<T> {
  /** Description of valid values for warnings and the documentation: `bytes, 1 to 1073741824`. */
  expected: string
  parse(text: string): Parsed<T> | undefined
}

/** A parsed value. `notes` describe what was changed or ignored; the name of the variable is put before each of them. */
export interface Parsed<T> {
  value: T
  notes?: string[]
}

/** Creates a parser from a function that returns undefined for invalid values. */
export function parser<T>(expected: string, read: (text: string) => T | undefined): Parser<T> {
  return {
    expected,
    parse(text) {
      const value = read(text)
      return value === undefined ? undefined : { value }
    },
  }
}

/** Any text. */
export const text = parser('text', value => value)

export const boolean = parser('true or false', value => {
  if (/^(?:1|true|yes|on)$/i.test(value)) return true
  return /^(?:0|false|no|off)$/i.test(value) ? false : undefined
})

/** A number from `min` to `max`, written in decimal digits. `unit` is used in `expected`. */
export function wholeNumber(min: number, max: number, unit = 'whole number'): Parser<number> {
  return parser(`${unit}, ${min} to ${max}`, value => {
    const number = digits(value)
    return number !== undefined && number >= min && number <= max ? number : undefined
  })
}

/** A whole number. Values outside the range are clamped, with a note. */
export function clampedNumber(min: number, max: number): Parser<number> {
  return {
    expected: `whole number, ${min} to ${max}`,
    parse(value) {
      if (!/^-?[0-9]+$/.test(value)) return undefined
      const clamped = Math.min(Math.max(Number(value), min), max)
      if (clamped === Number(value)) return { value: clamped }
      return { value: clamped, notes: [`${quote(value)} is outside ${min} to ${max}, using ${clamped}`] }
    },
  }
}

/** One of `words`, in any case. `synonyms` maps other words to them. */
export function oneOf<Word extends string>(words: readonly Word[], synonyms: Record<string, Word> = {}): Parser<Word> {
  const byName = new Map<string, Word>([...words.map(word => [word, word] as const), ...Object.entries(synonyms)])
  return parser(words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`, value =>
    byName.get(value.toLowerCase()),
  )
}

/** A comma-separated list, trimmed and without empty entries. With `none: true`, the value `none` is the empty list. */
export function list(options: { none?: boolean } = {}): Parser<string[]> {
  return parser(options.none === true ? 'comma-separated list, or none' : 'comma-separated list', value => {
    if (options.none === true && /^none$/i.test(value)) return []
    const parts = splitList(value)
    return parts.length === 0 ? undefined : parts
  })
}

/** Keeps the entries that `isUsable` accepts and adds a note `entry "x" <reason>` for each of the first 20 others. */
export function usableEntries(
  entries: readonly string[],
  isUsable: (entry: string) => boolean,
  reason: string,
): Parsed<string[]> {
  const notes = entries
    .filter(entry => !isUsable(entry))
    .slice(0, 20)
    .map(entry => `entry ${quote(entry)} ${reason}`)
  return { value: entries.filter(isUsable), notes }
}

/** Whether a value is an absolute http or https URL with a host and without user info. */
export function isHttpUrl(value: string): boolean {
  if (!/^https?:\/\/[^/?#]/i.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  return url.username === '' && url.password === '' && !/^https?:\/\/[^/?#]*@/i.test(value)
}

/** Splits a comma-separated list; entries are trimmed and empty ones removed. */
export function splitList(value: string): string[] {
  return value
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

/** Quotes a value for a warning: truncated, with control characters escaped and user info of URLs hidden. */
export function quote(value: string): string {
  const shown = value.replace(/\/\/[^/\s@]*@/g, '//***@')
  const cut = shown.length > 120 ? `${shown.slice(0, 120)}...` : shown
  return JSON.stringify(cut).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Parses decimal digits. Returns undefined for other text and for numbers above `Number.MAX_SAFE_INTEGER`. */
export function digits(value: string): number | undefined {
  const number = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

/**
 * Hosts that requests may be sent to: `host` (any port) or `host:port`, in lower case, IPv6 in brackets; without wildcards,
 * scheme or path.
 */
export const hosts: Parser<string[]> = {
  expected: 'comma-separated hosts, each with or without :port',
  parse: value =>
    usableEntries(
      splitList(value).map(entry => entry.toLowerCase()),
      isHostWithPort,
      'is not a host or host:port and matches nothing',
    ),
}

function isHostWithPort(entry: string): boolean {
  const match = /^(?:\[([0-9a-f:.]+)\]|[^\s/?#@\\:*[\]]+)(?::([0-9]{1,5}))?$/.exec(entry)
  if (match === null || (match[1] !== undefined && isIP(match[1]) !== 6)) return false
  return match[2] === undefined || (Number(match[2]) >= 1 && Number(match[2]) <= 65535)
}
