/** JSON as Python's and Go's libraries write it. */
import { LosslessNumber } from 'lossless-json'
import type { OutputBudget } from 'svc/plugin'

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

/** Two spaces of indent, sorted members, ASCII only, and a newline. What is written is taken from `output` first. */
export const pythonJson = (value: unknown, output?: OutputBudget): string => `${write(value, PYTHON, output)}\n`
/** One line in the order of the members, ASCII only. */
export const pythonLine = (value: unknown): string => write(value, PYTHON_LINE)
/** Two spaces of indent, members in order on the first level and sorted below, and a newline. */
export const goJson = (value: unknown, output?: OutputBudget): string => `${write(value, GO, output)}\n`
/** The same with all members sorted. */
export const goSortedJson = (value: unknown): string => `${write(value, { ...GO, unsortedLevels: 0 })}\n`
/** One line. */
export const goLine = (value: unknown): string => write(value, GO_LINE)
/** One blank of indent, members in order on the first level and sorted below. */
export const goNarrowJson = (value: unknown, output?: OutputBudget): string =>
  write(value, { ...GO, escapesMarkup: true, indent: 1 }, output)

function write(value: unknown, style: Style, output?: OutputBudget): string {
  const writer = new Writer(style, output)
  writer.write(value, 0, '')
  return writer.text
}

/** Bytes that are taken at a time, so that each blank of an indent is not. */
const PORTION = 65_536

/** Indents multiply: a list of lists, deep in others, is many times as long as it was sent. */
class Writer {
  text = ''
  readonly #style: Style
  readonly #output: OutputBudget | undefined
  #taken = 0

  constructor(style: Style, output: OutputBudget | undefined) {
    this.#style = style
    this.#output = output
  }

  /**
   * Writes a value after the text that comes before it. Recursive: the depth of values from requests is bounded where they are
   * parsed. Maps are written as objects.
   */
  write(value: unknown, level: number, before: string): void {
    if (typeof value === 'string') this.#add(before + writeText(value, this.#style))
    else if (typeof value !== 'object' || value === null) this.#add(before + (JSON.stringify(value) ?? 'null'))
    else if (value instanceof LosslessNumber) this.#add(before + pythonNumber(value.value))
    else if (Array.isArray(value)) this.#list(value, level, before)
    else this.#members(value, level, before)
  }

  #list(items: readonly unknown[], level: number, before: string): void {
    if (items.length === 0) return this.#add(`${before}[]`)
    const { first, next, last } = this.#separators(level)
    let separator = `${before}[${first}`
    for (const item of items) {
      this.write(item, level + 1, separator)
      separator = next
    }
    this.#add(`${last}]`)
  }

  #members(value: object, level: number, before: string): void {
    const style = this.#style
    const members = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value)
    if (members.length === 0) return this.#add(`${before}{}`)
    if (level >= style.unsortedLevels) members.sort(byBytes)
    const colon = style.indent === null ? `:${style.gap}` : ': '
    const { first, next, last } = this.#separators(level)
    let separator = `${before}{${first}`
    for (const [name, member] of members) {
      this.write(member, level + 1, separator + writeText(name, style) + colon)
      separator = next
    }
    this.#add(`${last}}`)
  }

  #separators(level: number): { first: string; next: string; last: string } {
    const { indent, gap } = this.#style
    if (indent === null) return { first: '', next: `,${gap}`, last: '' }
    const first = `\n${' '.repeat(indent * (level + 1))}`
    return { first, next: `,${first}`, last: `\n${' '.repeat(indent * level)}` }
  }

  #add(text: string): void {
    this.text += text
    if (this.text.length > this.#taken) this.#take()
  }

  #take(): void {
    if (this.#output === undefined) return
    const missing = this.text.length - this.#taken
    const portion = Math.max(missing, Math.min(PORTION, this.#output.left))
    this.#output.take(portion)
    this.#taken += portion
  }
}

/** By the bytes of their names. */
function byBytes([a]: [string, unknown], [b]: [string, unknown]): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Most names and short values have nothing to escape. */
const PLAIN = /^[\w .,:;/=?@+*()-]{0,64}$/

function writeText(text: string, { ascii, escapesMarkup }: Style): string {
  if (PLAIN.test(text)) return `"${text}"`
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
