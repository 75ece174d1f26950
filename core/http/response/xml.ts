/** The XML form of a JSON value. */
import { OutputBudget } from '../../contract/budgets.ts'

/** Containers nested deeper than this are written as JSON text. */
const MAX_DEPTH = 64
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
  '\t': '&#9;',
  '\n': '&#10;',
}
/** Characters forbidden by XML 1.0 (2.2); with the `u` flag only a lone surrogate matches. */
const FORBIDDEN = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ud800-\\udfff\\ufffe\\uffff'
const UNSAFE_IN_TEXT = new RegExp(`[&<>"'\\r${FORBIDDEN}]`, 'gu')
const UNSAFE_IN_ATTRIBUTE = new RegExp(`[&<>"'\\r\\t\\n${FORBIDDEN}]`, 'gu')
/** Characters that are escaped at a time, since a replacement keeps a list of all its matches. */
const PIECE = 4096
const SAFE_NAME = /^(?!xml)[a-z_][\w.-]{0,127}$/i

/**
 * Formats a value as a document with the root `response`: an element per key, an `item` per array entry, and an `entry`
 * with attribute `key` for a key that is not a safe name. Null is an empty-element tag, the empty string a start and an
 * end tag. Values are converted like in `JSON.stringify` (undefined members are omitted, `toJSON` is called), and the
 * same exceptions are thrown: the route must bound the depth of its input. Throws `OutputTooLarge` if the text does not fit.
 */
export function toXml(value: unknown, output = new OutputBudget(Infinity)): string {
  const writer = new XmlWriter(output)
  writer.element('response', '', value, 1)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writer.text}`
}

/** Takes what it writes from a budget. */
class XmlWriter {
  text = ''
  readonly #output: OutputBudget

  constructor(output: OutputBudget) {
    this.#output = output
  }

  element(name: string, attribute: string, given: unknown, depth: number): void {
    const value = jsonValue(given)
    if (value === null) return this.#add(`<${name}${attribute}/>`)
    this.#add(`<${name}${attribute}>`)
    if (typeof value === 'object') this.#children(value, depth)
    else this.#escaped(String(value))
    this.#add(`</${name}>`)
  }

  #children(value: object, depth: number): void {
    if (depth > MAX_DEPTH) return this.#escaped(JSON.stringify(value))
    if (Array.isArray(value)) {
      for (const entry of value) this.element('item', '', entry, depth + 1)
      return
    }
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue
      if (SAFE_NAME.test(key)) this.element(key, '', member, depth + 1)
      else this.element('entry', ` key="${escapeAttribute(key)}"`, member, depth + 1)
    }
  }

  #escaped(text: string): void {
    for (let start = 0; start < text.length; ) {
      const last = text.charCodeAt(start + PIECE - 1)
      // A pair of surrogates stays together.
      const end = start + (last >= 0xd800 && last < 0xdc00 ? PIECE + 1 : PIECE)
      this.#add(escapeText(text.slice(start, end)))
      start = end
    }
  }

  #add(text: string): void {
    this.#output.take(text.length)
    this.text += text
  }
}

/** The value as JSON would show it. */
function jsonValue(value: unknown): unknown {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return null
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || value === null || !('toJSON' in value) || typeof value.toJSON !== 'function')
    return value
  return jsonValue(JSON.parse(JSON.stringify(value)))
}

function escapeText(text: string): string {
  return text.replace(UNSAFE_IN_TEXT, escapeCharacter)
}

function escapeAttribute(text: string): string {
  return text.replace(UNSAFE_IN_ATTRIBUTE, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return ENTITIES[character] ?? '\ufffd'
}
