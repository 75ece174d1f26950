/** Generates strings by format, else by pattern, else from a word list, with the required length. */
import type { FlatSchema } from './flat-schema.ts'
import type { GenerationCost } from './generation-cost.ts'
import type { PatternTrees } from './pattern-text.ts'
import { SeededRandom } from './seed.ts'
import { wordFor } from './words.ts'

/** Maximum length after padding. */
const MAX_LENGTH = 65_536

/** How to generate a text. */
export interface TextOptions {
  /** Includes the location. */
  seed: string
  patterns: PatternTrees
  cost: GenerationCost
}

/** A string for a schema. `name` is the member name. The string is taken from the budgets first. */
export function generateText(schema: FlatSchema, name: string, { seed, patterns, cost }: TextOptions): string {
  const random = new SeededRandom(seed)
  const formatted = schema.format === undefined ? undefined : FORMATS[schema.format]?.(random)
  if (formatted !== undefined && fits(formatted, schema) && schema.patterns.length === 0) {
    cost.take(formatted.length)
    return formatted
  }
  for (const pattern of schema.patterns) {
    // Alternatives and repetitions depend on the seed; another seed may result in a valid length.
    for (let attempt = 0; attempt < 8; attempt++) {
      const text = patterns.text(pattern, new SeededRandom(`${seed}#${attempt}`), cost.steps)
      if (text === undefined || !fits(text, schema)) continue
      cost.take(text.length)
      return text
    }
    const text = patterns.text(pattern, random, cost.steps)
    if (text !== undefined) return stretch(text, schema, cost)
  }
  return stretch(formatted ?? wordFor(name, random), schema, cost)
}

/** Lengths count characters, not UTF-16 units (JSON Schema Validation, 6.3). */
function fits(text: string, { minLength, maxLength }: FlatSchema): boolean {
  if (text.length < minLength) return false
  if (text.length / 2 >= minLength && text.length <= maxLength) return true
  const length = [...text].length
  return length >= minLength && length <= maxLength
}

function stretch(text: string, schema: FlatSchema, cost: GenerationCost): string {
  const minimum = Math.min(schema.minLength, MAX_LENGTH)
  cost.take(Math.max(minimum, text.length))
  let result = text
  // Padding repeats the last character, so digits stay digits and a pattern that ends with a repetition still matches.
  if (result.length < minimum) result = result.padEnd(minimum, result === '' ? 'a' : result.slice(-1))
  return result.length > schema.maxLength ? result.slice(0, Math.max(0, Math.floor(schema.maxLength))) : result
}

const two = (value: number): string => String(value).padStart(2, '0')
const date = (random: SeededRandom): string =>
  `20${two(random.integer(20, 26))}-${two(random.integer(1, 12))}-${two(random.integer(1, 28))}`
const time = (random: SeededRandom): string =>
  `${two(random.integer(0, 23))}:${two(random.integer(0, 59))}:${two(random.integer(0, 59))}Z`

const FORMATS: Record<string, ((random: SeededRandom) => string) | undefined> = Object.assign(
  Object.create(null) as object,
  {
    'date-time': (random: SeededRandom) => `${date(random)}T${time(random)}`,
    date,
    time,
    duration: (random: SeededRandom) => `P${random.integer(1, 30)}D`,
    email: (random: SeededRandom) => `${random.pick(['ada', 'grace', 'linus', 'maya'])}@example.com`,
    'idn-email': (random: SeededRandom) => `${random.pick(['ada', 'grace', 'linus', 'maya'])}@example.com`,
    hostname: (random: SeededRandom) => `${random.pick(['api', 'shop', 'www'])}.example.com`,
    'idn-hostname': (random: SeededRandom) => `${random.pick(['api', 'shop', 'www'])}.example.com`,
    // Addresses and names reserved for documentation (RFC 5737, RFC 3849, RFC 2606).
    ipv4: (random: SeededRandom) => `192.0.2.${random.integer(1, 254)}`,
    ipv6: (random: SeededRandom) => `2001:db8::${random.integer(1, 65_535).toString(16)}`,
    uri: (random: SeededRandom) => `https://example.com/${random.hex(6)}`,
    url: (random: SeededRandom) => `https://example.com/${random.hex(6)}`,
    iri: (random: SeededRandom) => `https://example.com/${random.hex(6)}`,
    'uri-reference': (random: SeededRandom) => `/items/${random.hex(6)}`,
    'iri-reference': (random: SeededRandom) => `/items/${random.hex(6)}`,
    'uri-template': (random: SeededRandom) => `https://example.com/${random.hex(6)}/{id}`,
    uuid: (random: SeededRandom) =>
      `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-${random.pick(['8', '9', 'a', 'b'])}${random.hex(3)}-${random.hex(12)}`,
    byte: (random: SeededRandom) => Buffer.from(random.hex(16), 'hex').toString('base64'),
    binary: (random: SeededRandom) => random.hex(16),
    password: (random: SeededRandom) => `pw-${random.hex(8)}`,
    'json-pointer': (random: SeededRandom) => `/${random.pick(['a', 'b', 'c'])}/0`,
    'relative-json-pointer': () => '1/a',
    regex: () => '^[a-z]+$',
  },
)

/** Formats of numbers, which strings have in some documents, and texts that need no special form. */
const OTHER_FORMATS = new Set(['int32', 'int64', 'float', 'double', 'text', 'string', 'html', 'markdown', 'commonmark'])

/** Whether generated strings of a format are valid ones. */
export function isKnownFormat(format: string): boolean {
  return FORMATS[format] !== undefined || OTHER_FORMATS.has(format)
}
