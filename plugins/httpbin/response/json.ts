/** JSON as Python's and Go's libraries write it. */
import { LosslessNumber } from 'lossless-json'

interface Style {
  /** Escapes everything that is not ASCII. */
  ascii: boolean
  /** Escapes characters with a meaning in HTML. */
  escapesMarkup: boolean
  /** Levels above the one at which members are sorted. */
  unsortedLevels: number
  /** Spaces per level; null for one line. */
  indent: number | null
  /** After members and colons on one line. */
  gap: string
}

const PYTHON: Style = { ascii: true, escapesMarkup: false, unsortedLevels: 0, indent: 2, gap: ' ' }
const PYTHON_LINE: Style = { ...PYTHON, unsortedLevels: Infinity, indent: null }
const GO: Style = { ascii: false, escapesMarkup: false, unsortedLevels: 1, indent: 2, gap: '' }
const GO_LINE: Style = { ...GO, escapesMarkup: true, indent: null }

/** Two spaces of indent, sorted members, ASCII only, and a newline. */
export const pythonJson = (value: unknown): string => `${write(value, PYTHON, 0)}\n`
/** One line in the order of the members, ASCII only. */
export const pythonLine = (value: unknown): string => write(value, PYTHON_LINE, 0)
/** Two spaces of indent, members in order on the first level and sorted below, and a newline. */
export const goJson = (value: unknown): string => `${write(value, GO, 0)}\n`
/** The same with all members sorted. */
export const goSortedJson = (value: unknown): string => `${write(value, { ...GO, unsortedLevels: 0 }, 0)}\n`
/** One line. */
export const goLine = (value: unknown): string => write(value, GO_LINE, 0)
/** One blank of indent, members in order on the first level and sorted below. */
export const goNarrowJson = (value: unknown): string => write(value, { ...GO, escapesMarkup: true, indent: 1 }, 0)

/** Recursive: the depth of values from requests is bounded where they are parsed. Maps are written as objects. */
function write(value: unknown, style: Style, level: number): string {
  if (typeof value === 'string') return writeText(value, style)
  if (value instanceof LosslessNumber) return pythonNumber(value.value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value))
    return wrap(
      '[]',
      value.map(item => write(item, style, level + 1)),
      style,
      level,
    )
  const members = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value)
  if (level >= style.unsortedLevels) members.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const colon = style.indent === null ? `:${style.gap}` : ': '
  const lines = members.map(([name, member]) => writeText(name, style) + colon + write(member, style, level + 1))
  return wrap('{}', lines, style, level)
}

function wrap(brackets: string, items: string[], { indent, gap }: Style, level: number): string {
  const [open, close] = brackets as unknown as [string, string]
  if (items.length === 0) return brackets
  if (indent === null) return open + items.join(`,${gap}`) + close
  const spaces = ' '.repeat(indent * (level + 1))
  return `${open}\n${spaces}${items.join(`,\n${spaces}`)}\n${' '.repeat(indent * level)}${close}`
}

function writeText(text: string, { ascii, escapesMarkup }: Style): string {
  const json = JSON.stringify(text)
  if (ascii) return json.replace(/[\x7f-\uffff]/g, escape)
  const goText = json.replace(/[\u2028\u2029\ufffd]/g, escape)
  return escapesMarkup ? goText.replace(/[<>&]/g, escape) : goText
}

function escape(character: string): string {
  return character === '\x7f' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Integers keep their digits; other numbers have a fraction or an exponent of two digits. */
function pythonNumber(text: string): string {
  if (/^-?\d+$/.test(text)) return text === '-0' ? '0' : text
  const value = Number(text)
  // Python writes `Infinity`, which is not JSON.
  if (!Number.isFinite(value)) return 'null'
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-4 || size >= 1e16))
    return value.toExponential().replace(/e([+-])(\d)$/, (_, sign: string, digit: string) => `e${sign}0${digit}`)
  const decimal = Object.is(value, -0) ? '-0' : String(value)
  return decimal.includes('.') ? decimal : `${decimal}.0`
}
