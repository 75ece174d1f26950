/** Generates strings by format, else by pattern, else from a word list, with the required length. */
import type { FlatSchema } from './flat-schema.ts'
import { textForPattern } from './pattern-text.ts'
import { Dice } from './seed.ts'
import { wordFor } from './words.ts'

/** Maximum length after padding. */
const MAX_LENGTH = 65_536

/** A string for a schema. `name` is the member name, `seed` includes the location. */
export function generateText(schema: FlatSchema, name: string, seed: string): string {
  const dice = new Dice(seed)
  const formatted = schema.format === undefined ? undefined : FORMATS[schema.format]?.(dice)
  if (formatted !== undefined && fits(formatted, schema) && schema.patterns.length === 0) return formatted
  for (const pattern of schema.patterns) {
    // Alternatives and repetitions depend on the seed; another seed may result in a valid length.
    for (let attempt = 0; attempt < 8; attempt++) {
      const text = textForPattern(pattern, new Dice(`${seed}#${attempt}`))
      if (text !== undefined && fits(text, schema)) return text
    }
    const text = textForPattern(pattern, dice)
    if (text !== undefined) return stretch(text, schema)
  }
  return stretch(formatted ?? wordFor(name, dice), schema)
}

/** Lengths count characters, not UTF-16 units (JSON Schema Validation, 6.3). */
function fits(text: string, schema: FlatSchema): boolean {
  const length = [...text].length
  return length >= schema.minLength && length <= schema.maxLength
}

function stretch(text: string, schema: FlatSchema): string {
  const minimum = Math.min(schema.minLength, MAX_LENGTH)
  let result = text
  // Padding repeats the last character, so digits stay digits and a pattern that ends with a repetition still matches.
  if (result.length < minimum) result = result.padEnd(minimum, result === '' ? 'a' : result.slice(-1))
  return result.length > schema.maxLength ? result.slice(0, Math.max(0, Math.floor(schema.maxLength))) : result
}

const two = (value: number): string => String(value).padStart(2, '0')
const date = (dice: Dice): string => `20${two(dice.whole(20, 26))}-${two(dice.whole(1, 12))}-${two(dice.whole(1, 28))}`
const time = (dice: Dice): string => `${two(dice.whole(0, 23))}:${two(dice.whole(0, 59))}:${two(dice.whole(0, 59))}Z`

const FORMATS: Record<string, ((dice: Dice) => string) | undefined> = Object.assign(Object.create(null) as object, {
  'date-time': (dice: Dice) => `${date(dice)}T${time(dice)}`,
  date,
  time,
  duration: (dice: Dice) => `P${dice.whole(1, 30)}D`,
  email: (dice: Dice) => `${dice.pick(['ada', 'grace', 'linus', 'maya'])}@example.com`,
  'idn-email': (dice: Dice) => `${dice.pick(['ada', 'grace', 'linus', 'maya'])}@example.com`,
  hostname: (dice: Dice) => `${dice.pick(['api', 'shop', 'www'])}.example.com`,
  'idn-hostname': (dice: Dice) => `${dice.pick(['api', 'shop', 'www'])}.example.com`,
  // Addresses and names reserved for documentation (RFC 5737, RFC 3849, RFC 2606).
  ipv4: (dice: Dice) => `192.0.2.${dice.whole(1, 254)}`,
  ipv6: (dice: Dice) => `2001:db8::${dice.whole(1, 65_535).toString(16)}`,
  uri: (dice: Dice) => `https://example.com/${dice.hex(6)}`,
  url: (dice: Dice) => `https://example.com/${dice.hex(6)}`,
  iri: (dice: Dice) => `https://example.com/${dice.hex(6)}`,
  'uri-reference': (dice: Dice) => `/items/${dice.hex(6)}`,
  'iri-reference': (dice: Dice) => `/items/${dice.hex(6)}`,
  'uri-template': (dice: Dice) => `https://example.com/${dice.hex(6)}/{id}`,
  uuid: (dice: Dice) =>
    `${dice.hex(8)}-${dice.hex(4)}-4${dice.hex(3)}-${dice.pick(['8', '9', 'a', 'b'])}${dice.hex(3)}-${dice.hex(12)}`,
  byte: (dice: Dice) => Buffer.from(dice.hex(16), 'hex').toString('base64'),
  binary: (dice: Dice) => dice.hex(16),
  password: (dice: Dice) => `pw-${dice.hex(8)}`,
  'json-pointer': (dice: Dice) => `/${dice.pick(['a', 'b', 'c'])}/0`,
  'relative-json-pointer': () => '1/a',
  regex: () => '^[a-z]+$',
})
