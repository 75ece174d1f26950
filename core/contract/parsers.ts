/** Parsers for the values of environment variables: each states what it expects and returns undefined for anything else. */

/** Reads the trimmed text of a variable. */
export interface Parser<T> {
  /** What is allowed, for warnings and the reference: `bytes, 1 to 1073741824`. */
  expected: string
  parse(text: string): Parsed<T> | undefined
}

/** A value, and what of the text was changed or left out, as the rest of a sentence that starts with the variable. */
export interface Parsed<T> {
  value: T
  notes?: string[]
}

/** A parser from a function that answers undefined for what is invalid. */
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

/** Decimal digits only, from `min` to `max`; `unit` goes before the range in what is expected. */
export function wholeNumber(min: number, max: number, unit = 'whole number'): Parser<number> {
  return parser(`${unit}, ${min} to ${max}`, value => {
    const number = digits(value)
    return number !== undefined && number >= min && number <= max ? number : undefined
  })
}

/** A whole number that is moved into the range instead of refused. */
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

/** One of some words in any case; `synonyms` maps further words to them. */
export function oneOf<Word extends string>(words: readonly Word[], synonyms: Record<string, Word> = {}): Parser<Word> {
  const byName = new Map<string, Word>([...words.map(word => [word, word] as const), ...Object.entries(synonyms)])
  return parser(words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`, value =>
    byName.get(value.toLowerCase()),
  )
}

/** Parts between commas, trimmed, empty ones left out; `none` alone, where it is allowed, is the empty list. */
export function list(options: { none?: boolean } = {}): Parser<string[]> {
  return parser(options.none === true ? 'comma-separated list, or none' : 'comma-separated list', value => {
    if (options.none === true && /^none$/i.test(value)) return []
    const parts = splitList(value)
    return parts.length === 0 ? undefined : parts
  })
}

/** The entries that `isUsable` accepts; each of the first 20 others is reported as `entry "x" <reason>`. */
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

/** Whether a value is an absolute http(s) URL with a host and without user info. */
export function isHttpUrl(value: string): boolean {
  if (!/^https?:\/\/[^/?#]/i.test(value) || !URL.canParse(value)) return false
  const url = new URL(value)
  return url.username === '' && url.password === '' && !/^https?:\/\/[^/?#]*@/i.test(value)
}

/** The parts of a comma-separated list. */
export function splitList(value: string): string[] {
  return value
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

/** A value for a warning: in quotes, cut, control characters escaped, user info of URLs hidden. */
export function quote(value: string): string {
  const shown = value.replace(/\/\/[^/\s@]*@/g, '//***@')
  const cut = shown.length > 120 ? `${shown.slice(0, 120)}...` : shown
  return JSON.stringify(cut).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Decimal digits as a number, or undefined; also for numbers that cannot be held exactly. */
export function digits(value: string): number | undefined {
  const number = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}
