/** The XML form of a JSON value. */

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
const SAFE_NAME = /^(?!xml)[a-z_][\w.-]{0,127}$/i

/**
 * Formats a value as a document with the root `response`: an element per key, an `item` per array entry, and an `entry`
 * with attribute `key` for a key that is not a safe name. Null is an empty-element tag, the empty string a start and an
 * end tag. Values are converted like in `JSON.stringify` (undefined members are omitted, `toJSON` is called), and the
 * same exceptions are thrown: the route must bound the depth of its input.
 */
export function toXml(value: unknown): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('response', '', value, 1)}`
}

function element(name: string, attribute: string, given: unknown, depth: number): string {
  const value = jsonValue(given)
  if (value === null) return `<${name}${attribute}/>`
  return `<${name}${attribute}>${typeof value === 'object' ? children(value, depth) : escapeText(String(value))}</${name}>`
}

function children(value: object, depth: number): string {
  if (depth > MAX_DEPTH) return escapeText(JSON.stringify(value))
  let text = ''
  if (Array.isArray(value)) {
    for (const entry of value) text += element('item', '', entry, depth + 1)
    return text
  }
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue
    text += SAFE_NAME.test(key)
      ? element(key, '', member, depth + 1)
      : element('entry', ` key="${escapeAttribute(key)}"`, member, depth + 1)
  }
  return text
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
