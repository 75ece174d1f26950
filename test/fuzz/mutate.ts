/** Mutates valid input: texts, bytes and JSON values. */
import type { Random } from './random.ts'

/** Inputs that break parsers of many kinds. A family adds its own. */
const NASTY = [
  '',
  ' ',
  '\t',
  '\r\n',
  '\n',
  '\0',
  '\x7f',
  '\u0080',
  '\u00e9',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\u{1f600}',
  '\u202e',
  '%',
  '%0',
  '%00',
  '%zz',
  '%C0%AF',
  '%ff',
  '%2e',
  '%2F',
  '%0d%0a',
  '0',
  '-0',
  '-1',
  '00',
  '1e308',
  '1e-400',
  '1.5',
  '0x10',
  'NaN',
  'Infinity',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '18446744073709551616',
  '9'.repeat(400),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'length',
  'null',
  'undefined',
  'true',
  'false',
  '{}',
  '[]',
  '[object Object]',
  '"',
  "'",
  '`',
  '\\',
  '/',
  '//',
  '..',
  ';',
  ',',
  ':',
  '=',
  '&',
  '#',
  '?',
  '*',
  '+',
  '-',
  '<',
  '>',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '|',
  '$',
  '$&',
  '@',
  '~',
  '^',
  '!',
]
/** Characters. */
const LONGEST = 20_000

function nasty(random: Random, words: readonly string[]): string {
  return words.length > 0 && random.oneIn(2) ? random.pick(words) : random.pick(NASTY)
}

/** Any sequence that can be sliced and joined, so that texts and bytes are mutated the same way. */
interface Material<T> {
  slice(value: T, from: number, to?: number): T
  join(...parts: T[]): T
  nasty(random: Random, words: readonly string[]): T
  unit(random: Random): T
}

const TEXT: Material<string> = {
  slice: (value, from, to) => value.slice(from, to),
  join: (...parts) => parts.join(''),
  nasty,
  unit: random => String.fromCharCode(random.oneIn(8) ? random.below(0x10000) : random.below(128)),
}
const BYTES: Material<Buffer> = {
  slice: (value, from, to) => value.subarray(from, to),
  join: (...parts) => Buffer.concat(parts),
  nasty: (random, words) => Buffer.from(nasty(random, words), random.oneIn(2) ? 'utf8' : 'latin1'),
  unit: random => Buffer.from([random.oneIn(3) ? random.pick([0, 1, 0x7f, 0x80, 0xff]) : random.below(256)]),
}

/** Makes one to five changes to a text; `other` is a text to copy pieces from. */
export function mutateText(random: Random, text: string, words: readonly string[] = [], other = text): string {
  return changed(TEXT, random, text, words, other).slice(0, LONGEST + text.length)
}

/** Makes one to five changes to a sequence of bytes. */
export function mutateBytes(random: Random, bytes: Buffer, words: readonly string[] = [], other = bytes): Buffer {
  return changed(BYTES, random, bytes, words, other).subarray(0, LONGEST + bytes.length)
}

function changed<T extends { length: number }>(
  material: Material<T>,
  random: Random,
  value: T,
  words: readonly string[],
  other: T,
): T {
  let result = value
  for (let changes = 1 + random.below(random.oneIn(3) ? 5 : 2); changes > 0; changes--)
    result = change(material, random, result, words, other)
  return result
}

function change<T extends { length: number }>(
  { slice, join, nasty, unit }: Material<T>,
  random: Random,
  value: T,
  words: readonly string[],
  other: T,
): T {
  const at = random.below(value.length + 1)
  const end = at + random.below(Math.min(value.length - at, random.oneIn(4) ? 1000 : 6) + 1)
  const before = slice(value, 0, at)
  switch (random.below(9)) {
    case 0:
      return join(before, unit(random), slice(value, at + 1))
    case 1:
      return join(before, nasty(random, words), slice(value, at))
    case 2:
      return join(before, nasty(random, words), slice(value, end))
    case 3:
      return join(before, slice(value, end))
    case 4:
      return before
    case 5:
      return join(before, slice(value, at, end), slice(value, at))
    case 6:
      return join(
        before,
        repeated({ join }, random, random.oneIn(2) ? slice(value, at, end) : nasty(random, words)),
        slice(value, end),
      )
    case 7:
      return join(before, slice(other, random.below(other.length + 1)))
    default:
      return random.oneIn(6) ? nasty(random, words) : join(before, unit(random), slice(value, at))
  }
}

function repeated<T extends { length: number }>({ join }: Pick<Material<T>, 'join'>, random: Random, piece: T): T {
  const count = Math.min(random.oneIn(5) ? 5000 : 40, Math.floor(LONGEST / Math.max(1, piece.length)))
  return join(...Array.from({ length: random.below(count + 1) }, () => piece))
}

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e99,
  -1e-99,
  2 ** 31,
  2 ** 53 + 2,
  '',
  ' ',
  'x',
  '\0',
  '\ud800',
  '__proto__',
  'constructor',
  [],
  {},
  [[]],
  [null],
  [{}],
  { type: 'text' },
  { $ref: '#' },
  { length: 1e9 },
  JSON.parse('{"then":1}'),
  { toString: null, valueOf: null },
  { toJSON: 1 },
  JSON.parse('{"__proto__":{"polluted":1}}'),
  JSON.parse('{"constructor":{"prototype":{"polluted":1}}}'),
  'x'.repeat(10_000),
  Array.from({ length: 500 }, () => 0),
  nested(200),
]
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'length',
  '',
  '0',
  '-1',
  '$ref',
  'type',
  'id',
  'x'.repeat(300),
  '\0',
  'a.b',
  'a/b',
]

function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels))
}

/** A copy of a JSON value with one to four changes. */
export function mutateJson(random: Random, value: unknown): unknown {
  let copy = structuredClone(value)
  for (let changes = 1 + random.below(random.oneIn(3) ? 4 : 2); changes > 0; changes--) copy = changedAt(random, copy)
  return copy
}

function changedAt(random: Random, value: unknown): unknown {
  const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0
  if (isLeaf || random.oneIn(7)) return oddValue(random, value)
  if (Array.isArray(value)) {
    const at = random.below(value.length)
    if (random.oneIn(8)) return value.filter((_, index) => index !== at)
    if (random.oneIn(8))
      return [...value, ...Array.from({ length: random.below(random.oneIn(4) ? 300 : 3) }, () => value[at] as unknown)]
    return value.map((item: unknown, index) => (index === at ? changedAt(random, item) : item))
  }
  return changedObject(random, value)
}

function changedObject(random: Random, value: object): object {
  const entries = Object.entries(value)
  const at = random.below(entries.length)
  const [key, item] = entries[at]!
  const kind = random.below(8)
  if (kind === 0) entries.splice(at, 1)
  else if (kind === 1) entries[at] = [random.pick(ODD_KEYS), item]
  else if (kind === 2) entries.push([random.pick(ODD_KEYS), random.oneIn(2) ? item : random.pick(ODD_VALUES)])
  else entries[at] = [key, changedAt(random, item)]
  // As `JSON.parse` does: `__proto__` becomes a key of the object itself.
  const changed = {}
  for (const [name, content] of entries)
    Object.defineProperty(changed, name, { value: content, enumerable: true, configurable: true, writable: true })
  return changed
}

function oddValue(random: Random, value: unknown): unknown {
  if (typeof value === 'string' && random.oneIn(2)) return mutateText(random, value)
  if (typeof value === 'number' && random.oneIn(2))
    return random.pick([value + 1, -value, value * 1000, value / 3, String(value)])
  return random.pick(ODD_VALUES)
}

/** A JSON text: mostly another value, sometimes invalid JSON. */
export function mutateJsonText(random: Random, text: string): string {
  const changed = JSON.stringify(mutateJson(random, JSON.parse(text)))
  return random.oneIn(6)
    ? mutateText(random, changed, [
        '{',
        '}',
        '[',
        ']',
        '"',
        ':',
        ',',
        '\\u',
        '\\ud800',
        'e9',
        '"__proto__":{}',
        ',"id":1,"id":2',
        '['.repeat(3000),
        '{"a":'.repeat(3000),
      ])
    : changed
}
