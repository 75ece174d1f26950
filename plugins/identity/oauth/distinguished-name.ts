/** Compares distinguished names (RFC 4514) attribute by attribute. */

const MAX_CHARACTERS = 1000
const TYPE = /^(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)*)$/

/** The attributes of a name in order, as `type=value`; null if the text is not a name. */
export function parseName(text: string): string[] | null {
  if (text === '' || text.length > MAX_CHARACTERS) return null
  const attributes = splitAttributes(text).map(readAttribute)
  return attributes.includes(null) ? null : (attributes as string[])
}

/**
 * Whether two names have the same attributes. RFC 4514 writes the last attribute of a certificate first, many tools write
 * the first one first: both orders are accepted.
 */
export function isSameName(left: string, right: string): boolean {
  const [own, other] = [parseName(left), parseName(right)]
  if (own === null || other === null || own.length !== other.length) return false
  const isEqual = (list: readonly string[]): boolean => list.every((attribute, index) => attribute === other[index])
  return isEqual(own) || isEqual(own.toReversed())
}

/** Splits at commas, plus signs and line breaks that are not escaped. */
function splitAttributes(text: string): string[] {
  const parts = ['']
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    if (character === '\\') parts[parts.length - 1] += character + (text[++index] ?? '')
    else if (character === ',' || character === '+' || character === '\n') parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

function readAttribute(part: string): string | null {
  const separator = part.indexOf('=')
  if (separator === -1) return null
  const type = part.slice(0, separator).trim().toLowerCase()
  const value = unescape(part.slice(separator + 1).trim())
  return TYPE.test(type) && value !== null && value !== '' ? `${type}=${value}` : null
}

/** RFC 4514, 3: a backslash precedes a special character or two hex digits of a byte. */
function unescape(value: string): string | null {
  const bytes: Buffer[] = []
  for (let index = 0; index < value.length; index++) {
    const character = value[index]!
    if (character !== '\\') {
      bytes.push(Buffer.from(String.fromCodePoint(value.codePointAt(index)!)))
      if (value.codePointAt(index)! > 0xffff) index++
      continue
    }
    const hex = value.slice(index + 1, index + 3)
    if (/^[0-9a-f]{2}$/i.test(hex)) {
      bytes.push(Buffer.from(hex, 'hex'))
      index += 2
    } else {
      const next = value[++index]
      if (next === undefined) return null
      bytes.push(Buffer.from(next))
    }
  }
  return Buffer.concat(bytes).toString()
}
