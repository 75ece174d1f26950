/**
 * Finds secrets in any text by the names before them: members of JSON (also of JSON within a JSON string), parameters of URLs
 * and forms, user info of URLs, elements and attributes of XML, and fields of multipart forms. One pass, in linear time: it
 * looks only around the characters that can separate a name from a value.
 */
import { isOrdinaryText, isSecretName } from './secret-names.ts'

export interface FoundSecret {
  start: number
  end: number
  /** As it was before it was encoded for the text. */
  value: string
}

const [COLON, EQUALS, LESS, GREATER] = [0x3a, 0x3d, 0x3c, 0x3e]
const MAX_NAME = 128
const MAX_BLANKS = 20
const MAX_USER_INFO = 512
/** Characters of an opening tag. */
const MAX_TAG = 1024
/** Lines between the name of a field in a multipart form and its value (RFC 7578, 4.2). */
const MAX_FIELD_HEAD = 1024
const NAME_CHARACTER = /[\w.~%+:-]/
const BLANK = /\s/
/** What can be before the name of a parameter; a backslash ends an escaped `&`. */
const BEFORE_PARAMETER = new Set(['?', '&', '#', ';', '\\'])
const BEFORE_ATTRIBUTE = new Set([',', ';'])
const ENDS_PARAMETER = /[&#;\s"'<>\\]/
const ENDS_AUTHORITY = /[/?#\s"'<>\\@]/
const ENDS_LINE = /[\r\n]/

/** Whether a name belongs to a secret. */
type IsSecretName = (name: string) => boolean

/** The secrets of a text in order. */
export function findSecrets(text: string, isSecret: IsSecretName = isSecretName): FoundSecret[] {
  const found: FoundSecret[] = []
  let tag = -1
  for (let at = 0; at < text.length; at++) {
    let secret: FoundSecret | null = null
    switch (text.charCodeAt(at)) {
      case COLON:
        secret = afterColon(text, at, isSecret)
        break
      case EQUALS:
        secret = afterEquals(text, at, isSecret)
        break
      case LESS:
        tag = at
        break
      case GREATER:
        secret = afterTag(text, tag, at, isSecret)
        break
    }
    if (secret === null) continue
    found.push(secret)
    at = secret.end - 1
  }
  return found
}

/** Any text as a query or form: its first parameter has nothing before it. */
export function findParameters(query: string, isSecret: IsSecretName = isSecretName): FoundSecret[] {
  return findSecrets(`?${query}`, isSecret).map(({ start, end, value }) => ({ start: start - 1, end: end - 1, value }))
}

/** Null for an ordinary text under the name of a secret. */
function named(name: string, text: string, start: number, end: number, value: string): FoundSecret | null {
  return end > start && !isOrdinaryText(name, text.slice(start, end)) ? { start, end, value } : null
}

/** `"name": "value"`, with any number of backslashes before the quotes, or `://user@host`. */
function afterColon(text: string, colon: number, isSecret: IsSecretName): FoundSecret | null {
  if (text.startsWith('//', colon + 1)) return userInfo(text, colon + 3)
  const nameEnd = backOverBlanks(text, colon)
  if (text[nameEnd - 1] !== '"') return null
  const escape = backslashesBefore(text, nameEnd - 1)
  const quote = escape + '"'
  const last = nameEnd - quote.length
  const first = text.lastIndexOf('"', last - 1)
  if (first === -1 || last - first > MAX_NAME) return null
  const opening = overBlanks(text, colon + 1)
  if (!text.startsWith(quote, opening)) return null
  const start = opening + quote.length
  const name = text.slice(first + 1, last)
  if (!isSecret(name)) return null
  const end = closingQuote(text, start, escape)
  const raw = text.slice(start, end)
  return named(name, text, start, end, escape === '' ? unescaped(raw) : raw)
}

/** The end of a JSON string. Within a string of `escape`, a quote with more backslashes does not end it. */
function closingQuote(text: string, start: number, escape: string): number {
  for (let end = text.indexOf('"', start); end !== -1; end = text.indexOf('"', end + 1)) {
    const backslashes = backslashesBefore(text, end).length
    if (escape === '' ? backslashes % 2 === 0 : backslashes <= escape.length)
      return Math.max(start, end - escape.length)
  }
  return text.length
}

function userInfo(text: string, start: number): FoundSecret | null {
  const end = endOf(text.slice(0, start + MAX_USER_INFO), ENDS_AUTHORITY, start)
  return text[end] === '@' && end > start ? { start, end, value: text.slice(start, end) } : null
}

/** `?name=value`, ` name="value"`, or a field of a multipart form. */
function afterEquals(text: string, equals: number, isSecret: IsSecretName): FoundSecret | null {
  let first = equals
  while (first > 0 && equals - first < MAX_NAME && NAME_CHARACTER.test(text[first - 1]!)) first--
  if (first === equals) return null
  const name = decoded(text.slice(first, equals))
  const before = text[backOverBlanks(text, first) - 1]
  if (text[equals + 1] === '"') {
    const start = equals + 2
    const isAttribute =
      (first > 0 && BLANK.test(text[first - 1]!)) || (before !== undefined && BEFORE_ATTRIBUTE.has(before))
    if (!isAttribute) return null
    if (name.toLowerCase() === 'name' && before === ';') return field(text, start, isSecret)
    if (!isSecret(name)) return null
    const end = text.indexOf('"', start)
    return end === -1 ? null : named(name, text, start, end, text.slice(start, end))
  }
  if (before === undefined || !BEFORE_PARAMETER.has(before) || !isSecret(name)) return null
  const end = endOf(text, ENDS_PARAMETER, equals + 1)
  return named(name, text, equals + 1, end, decoded(text.slice(equals + 1, end).replaceAll('+', ' ')))
}

/** The value of a field after `name="`: the line after the empty one. */
function field(text: string, start: number, isSecret: IsSecretName): FoundSecret | null {
  const nameEnd = text.indexOf('"', start)
  if (nameEnd === -1 || nameEnd - start > MAX_NAME || !isSecret(text.slice(start, nameEnd))) return null
  const head = text.slice(nameEnd, nameEnd + MAX_FIELD_HEAD)
  const empty = /\r?\n\r?\n/.exec(head)
  if (empty === null) return null
  const first = nameEnd + empty.index + empty[0].length
  const end = endOf(text, ENDS_LINE, first)
  return named(text.slice(start, nameEnd), text, first, end, text.slice(first, end))
}

/** `<name attributes>value</name>`. */
function afterTag(text: string, open: number, close: number, isSecret: IsSecretName): FoundSecret | null {
  if (open === -1 || close - open > MAX_TAG) return null
  const name = /^<(?:[\w.-]{1,64}:)?([\w.-]{1,128})/.exec(text.slice(open, close))?.[1]
  if (name === undefined || !isSecret(name)) return null
  const end = text.indexOf('<', close + 1)
  return end === -1 || !text.startsWith('</', end)
    ? null
    : named(name, text, close + 1, end, text.slice(close + 1, end))
}

/** Index of the next character that matches, or the end. */
function endOf(text: string, pattern: RegExp, start: number): number {
  let at = start
  while (at < text.length && !pattern.test(text[at]!)) at++
  return at
}

function overBlanks(text: string, start: number): number {
  let at = start
  while (at < text.length && at - start < MAX_BLANKS && BLANK.test(text[at]!)) at++
  return at
}

function backOverBlanks(text: string, end: number): number {
  let at = end
  while (at > 0 && end - at < MAX_BLANKS && BLANK.test(text[at - 1]!)) at--
  return at
}

function backslashesBefore(text: string, at: number): string {
  let first = at
  while (first > 0 && text[first - 1] === '\\') first--
  return text.slice(first, at)
}

/** The text of a JSON string without its quotes. */
function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    return raw
  }
}

function decoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
