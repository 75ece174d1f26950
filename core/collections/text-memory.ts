/** What text costs in memory, and copies that hold nothing but themselves: for stores that are bounded in bytes. */

/** Bytes of the engine's own record of a string, and of the reference to it. */
export const STRING_OVERHEAD = 24
/** V8 copies what is cut or joined to fewer characters. */
const SHORTEST_SHARED = 13

/**
 * Bytes of memory that a string takes at most: V8 keeps one byte a character where all of them are Latin-1, else two. What
 * is not ASCII counts as two, which needs no look at each character. A slice holds its parent: give it `copyText` first.
 */
export function heldBytes(text: string): number {
  return STRING_OVERHEAD + (isAscii(text) ? text.length : 2 * text.length)
}

/**
 * The same text in memory of its own. V8 keeps a slice (`slice`, `split`, a match) as a reference into the whole text, and a
 * concatenation as a tree of its parts: 80 kept characters of a megabyte hold that megabyte.
 */
export function copyText(text: string): string {
  if (text.length < SHORTEST_SHARED) return text
  const encoding = isAscii(text) ? 'latin1' : 'utf16le'
  return Buffer.from(text, encoding).toString(encoding)
}

/** In UTF-8 ASCII alone takes one byte a character. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}
