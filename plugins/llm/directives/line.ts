/** The grammar of directives: lines of a prompt that say how the request is answered (`[svc fail=429; times=2]`). */

/** One item of a directive: a name, and its value after `=`; null: it has none. */
export interface DirectiveItem {
  name: string
  value: string | null
  /** The value was a quoted text. */
  isQuoted: boolean
}

export interface DirectiveLine {
  /** Its items as they are written. */
  text: string
  items: readonly DirectiveItem[]
  /** What is wrong with how it is written; null: nothing. */
  problem: string | null
}

/** What every line with a directive contains: a text without it needs no further look. */
export const MARK = '[svc '

const MAX_BYTES = 4096
const MAX_ITEMS = 16
/** The text of a directive that looks like one, but is text. */
const ESCAPED = `\\${MARK}`

/** Reads a line, without white space around it; null: it is text. */
export function readLine(line: string): DirectiveLine | null {
  if (!hasForm(line)) return null
  const text = line.slice(MARK.length, -1).trim()
  const { items, problem } = readItems(text)
  return (items.length === 0 && problem === null) || items.length > MAX_ITEMS ? null : { text, items, problem }
}

/** Whether a line is a directive whose backslash says that it is text. */
export function isEscaped(line: string): boolean {
  return line.startsWith(ESCAPED) && hasForm(line.slice(1))
}

function hasForm(line: string): boolean {
  return line.startsWith(MARK) && line.endsWith(']') && line.length <= MAX_BYTES && Buffer.byteLength(line) <= MAX_BYTES
}

function readItems(text: string): Pick<DirectiveLine, 'items' | 'problem'> {
  const items: DirectiveItem[] = []
  let at = 0
  while (at < text.length) {
    const next = endOfPart(text, at)
    const equals = text.indexOf('=', at)
    if (equals < 0 || equals > next) {
      const name = text.slice(at, next).trim()
      if (name !== '') items.push({ name, value: null, isQuoted: false })
      at = next + 1
      continue
    }
    const name = text.slice(at, equals).trim()
    const read = readValue(text, equals + 1)
    if (read === null) return { items, problem: `the value of ${name.slice(0, 40)} does not end` }
    items.push({ name, value: read.value, isQuoted: read.isQuoted })
    const end = endOfPart(text, read.end)
    if (text.slice(read.end, end).trim() !== '')
      return { items, problem: `expected ; after the value of ${name.slice(0, 40)}` }
    at = end + 1
  }
  return { items, problem: null }
}

/** The place of the next `;`, or the end. */
function endOfPart(text: string, from: number): number {
  const at = text.indexOf(';', from)
  return at < 0 ? text.length : at
}

interface ReadValue {
  value: string
  isQuoted: boolean
  end: number
}

/** A quoted text, JSON, or everything up to the next `;`. Null: the text or the JSON does not end. */
function readValue(text: string, from: number): ReadValue | null {
  let start = from
  while (text[start] === ' ' || text[start] === '\t') start++
  if (text[start] === '"') return readQuoted(text, start)
  if (text[start] === '{') {
    const end = endOfJson(text, start)
    return end === null ? null : { value: text.slice(start, end), isQuoted: false, end }
  }
  const end = endOfPart(text, start)
  return { value: text.slice(start, end).trim(), isQuoted: false, end }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' }

/** A text in quotes, with `\"`, `\\` and `\n`; other backslashes are kept. */
function readQuoted(text: string, start: number): ReadValue | null {
  let value = ''
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at]!
    if (character === '"') return { value, isQuoted: true, end: at + 1 }
    const escaped = character === '\\' ? ESCAPES[text[at + 1] ?? ''] : undefined
    value += escaped ?? character
    if (escaped !== undefined) at++
  }
  return null
}

/** Where a JSON object ends; null: it does not. */
function endOfJson(text: string, start: number): number | null {
  let depth = 0
  let isInText = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]!
    if (isInText) {
      if (character === '\\') at++
      else if (character === '"') isInText = false
    } else if (character === '"') isInText = true
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return null
}
