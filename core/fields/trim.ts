/**
 * Trims by index. `/x+$/` starts over at every `x` that is not at the end: quadratic in the length of a header or a URL
 * that is nothing but such characters.
 */

/** The text without those of `characters` that it begins or ends with. */
export function trimCharacters(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text[start]!)) start++
  return trimEndCharacters(text.slice(start), characters)
}

/** The text without those of `characters` that it ends with. */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
