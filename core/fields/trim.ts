/**
 * Trims by index. `/x+$/` restarts at every `x` that is not at the end, which is quadratic for a header or URL that
 * consists of such characters.
 */

/** Removes leading and trailing `characters`. */
export function trimCharacters(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text[start]!)) start++
  return trimEndCharacters(text.slice(start), characters)
}

/** Removes trailing `characters`. */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
