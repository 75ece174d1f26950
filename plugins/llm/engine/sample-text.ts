/** Sample texts and numbers by property name, for generated tool arguments and structured replies. */
import { words } from './tokens.ts'

const quotedCharacters = 200
/** Characters of a name that choose the sample. */
const readCharacters = 200
const sentence = 'A short text that svc made up for this field.'

/** The first run of capitalized words after `in`, `for`, `at`, `to`, `from`, `about` or `near`: `New York`. */
export function entityOf(userText: string): string | undefined {
  return /(?<![\p{L}\p{N}])(?:[Ii]n|[Ff]or|[Aa]t|[Tt]o|[Ff]rom|[Aa]bout|[Nn]ear)\s+(\p{Lu}[\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*)*)/u
    .exec(userText)?.[1]
    ?.replace(/\s+/g, ' ')
}

/** `getWeather`, `get_weather` become `get weather`. */
export function spacedName(name: string): string {
  return words(name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')).join(' ')
}

/** What the user says, and the place or thing that it names, which is found once. */
export class UserText {
  readonly text: string
  #entity: { found: string | undefined } | null = null

  constructor(text: string) {
    this.text = text
  }

  get entity(): string | undefined {
    return (this.#entity ??= { found: entityOf(this.text) }).found
  }
}

interface NamedText {
  contains: readonly string[]
  /** The whole name; for words that are too common as a part of names. */
  exactly?: string
  text: (user: UserText, name: string) => string
}

const namedTexts: readonly NamedText[] = [
  { contains: ['location', 'city', 'place', 'destination', 'region'], text: user => user.entity ?? 'San Francisco' },
  { contains: ['country'], text: () => 'France' },
  { contains: ['email'], text: () => 'jane.doe@example.com' },
  { contains: ['phone'], text: () => '+1-555-0100' },
  { contains: ['url', 'link', 'website', 'uri'], text: () => 'https://example.com' },
  { contains: ['date', 'day'], text: () => '2026-01-15' },
  { contains: ['time'], text: () => '09:30' },
  { contains: ['unit'], text: () => 'celsius' },
  { contains: ['currency'], text: () => 'USD' },
  { contains: ['lang'], text: () => 'en' },
  {
    contains: ['query', 'question', 'prompt', 'search', 'keyword', 'text', 'input', 'message'],
    exactly: 'q',
    text: user => user.text.slice(0, quotedCharacters),
  },
  { contains: ['first name'], text: () => 'Jane' },
  { contains: ['last name'], text: () => 'Doe' },
  { contains: ['user', 'author', 'owner', 'customer'], exactly: 'name', text: () => 'Jane Doe' },
]

const lateTexts: readonly NamedText[] = [
  { contains: ['title'], text: () => 'Example title' },
  { contains: ['description', 'summary', 'content', 'body', 'answer', 'reason'], text: () => sentence },
  { contains: ['status', 'state'], text: () => 'active' },
  { contains: ['color'], text: () => 'blue' },
]

function findRow(table: readonly NamedText[], name: string): NamedText | undefined {
  return table.find(row => row.exactly === name || row.contains.some(word => name.includes(word)))
}

/** A sample text for a property with this name. */
export function textFor(name: string, user: UserText): string {
  const spaced = spacedName(name.slice(0, readCharacters))
  const early = findRow(namedTexts, spaced)
  if (early !== undefined) return early.text(user, spaced)
  if (spaced.endsWith('id')) return `${spaced.slice(0, -2).trim().replaceAll(' ', '_') || 'id'}_12345`
  return findRow(lateTexts, spaced)?.text(user, spaced) ?? `example ${spaced === '' ? 'value' : spaced}`
}

const integers: readonly [words: readonly string[], value: number][] = [
  [['age'], 30],
  [['year'], 2026],
  [['count', 'quantity', 'num', 'limit'], 3],
  [['id'], 12345],
]
const decimals: readonly [words: readonly string[], value: number][] = [
  [['lat'], 48.8566],
  [['lon'], 2.3522],
  [['temp'], 21.5],
  [['price', 'amount', 'cost'], 19.99],
  [['score', 'confidence', 'prob'], 0.87],
]

/** A sample number for a property with this name. */
export function numberFor(name: string, isInteger: boolean): number {
  const spaced = spacedName(name.slice(0, readCharacters))
  const row = (isInteger ? integers : decimals).find(([parts]) => parts.some(part => spaced.includes(part)))
  return row?.[1] ?? (isInteger ? 42 : 2.5)
}

/** A text in a JSON Schema `format`; undefined for an unknown format. Each `variant` gives a different text. */
export function textOfFormat(format: unknown, variant: number): string | undefined {
  const day = String(1 + ((14 + variant) % 28)).padStart(2, '0')
  const suffix = variant === 0 ? '' : String(variant + 1)
  switch (format) {
    case 'date-time':
      return `2026-01-${day}T09:30:00Z`
    case 'date':
      return `2026-01-${day}`
    case 'time':
      return `09:${String((30 + variant) % 60).padStart(2, '0')}:00Z`
    case 'email':
      return `jane.doe${suffix}@example.com`
    case 'uri':
      return `https://example.com${suffix === '' ? '' : `/${suffix}`}`
    case 'uuid':
      return `00000000-0000-4000-8000-${String(variant + 1).padStart(12, '0')}`
    case 'ipv4':
      return `192.0.2.${1 + (variant % 254)}`
    case 'ipv6':
      return `2001:db8::${(variant + 1).toString(16)}`
    case 'hostname':
      return `example${suffix}.com`
    case 'duration':
      return `PT${variant + 1}H`
    default:
      return undefined
  }
}
