/** Measures the memory of strings, and copies them without retaining others: for stores that are bounded in bytes. */

/** Bytes of the engine's record of a string, and of the reference to it. */
export const STRING_OVERHEAD = 24
/** V8 copies slices and concatenations with fewer characters. */
const SHORTEST_SHARED = 13

/**
 * Maximum memory of a string in bytes. V8 uses one byte per character if all of them are Latin-1, else two. Text that
 * is not ASCII counts as two, so that characters need not be inspected. A slice retains its parent: pass it through
 * `copyText` first.
 */
export function heldBytes(text: string): number {
  return STRING_OVERHEAD + (isAscii(text) ? text.length : 2 * text.length)
}

/**
 * The same text in its own memory. V8 stores a slice (`slice`, `split`, a match) as a reference to the whole text, and
 * a concatenation as a tree of its parts: 80 characters of a megabyte retain that megabyte.
 */
export function copyText(text: string): string {
  if (text.length < SHORTEST_SHARED) return text
  const encoding = isAscii(text) ? 'latin1' : 'utf16le'
  return Buffer.from(text, encoding).toString(encoding)
}

/** In UTF-8 only ASCII takes one byte per character. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}
