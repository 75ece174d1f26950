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

/** Bounds of what a JSON text becomes in memory. */
export interface JsonTextBounds {
  levels: number
  values: number
}

/**
 * What of a JSON text exceeds its bounds, without parsing it: `[{},{},…]` takes twenty times its size in memory. Counts commas
 * and opening brackets outside strings in one pass. The result for text that is not valid JSON is unspecified.
 */
export function excessOfJsonText(text: string, { levels, values }: JsonTextBounds): keyof JsonTextBounds | null {
  if (text.length <= Math.min(levels, values)) return null
  let count = 0
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) index = endOfString(text, index)
    else if (code === 0x7d || code === 0x5d) depth--
    else {
      const isOpening = code === 0x7b || code === 0x5b
      if (isOpening && ++depth > levels) return 'levels'
      if ((isOpening || code === 0x2c) && ++count > values) return 'values'
    }
  }
  return null
}

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === BACKSLASH) index++
    else if (code === QUOTE) return index
  }
  return text.length
}
