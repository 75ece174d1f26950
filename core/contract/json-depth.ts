/**
 * Limits on the nesting depth of JSON (RFC 8259, 9, allows them). Functions on JSON values are usually recursive and would
 * overflow the stack. A primitive value has depth 0; an object or array has one level more than its deepest member.
 */

/** Whether a parsed value has at most `levels` levels. The function is recursive: keep `levels` below 1000. */
export function isNestedWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  for (const member of Object.values(value)) if (!isNestedWithin(member, levels - 1)) return false
  return true
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Whether a JSON text has at most `levels` levels, without parsing it: counts brackets outside strings in one pass. The
 * result for text that is not valid JSON is unspecified.
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
