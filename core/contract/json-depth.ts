/**
 * How deeply JSON is nested (RFC 8259, 9, allows a limit): what works on values mostly calls itself for each level, and
 * would overflow the stack. A simple value has no level; an object or an array has one more than the deepest in it.
 */

/** Whether a parsed value has at most this many levels of objects and arrays. It calls itself as often, so keep `levels` below 1000. */
export function isNestedWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  for (const member of Object.values(value)) if (!isNestedWithin(member, levels - 1)) return false
  return true
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * The same of a JSON text, before it is parsed: counts brackets outside strings in one pass and builds nothing. What it
 * answers for a text that is not JSON does not matter to anyone, but it ends.
 */
export function isTextNestedWithin(text: string, levels: number): boolean {
  if (text.length <= levels) return true
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) index = endOfString(text, index)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > levels) return false
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return true
}

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === BACKSLASH) index++
    else if (code === QUOTE) return index
  }
  return text.length
}
