/** Trims by index: `/x+$/` takes quadratic time over a text of nothing but `x`. */

/** The text without those of `characters` that it ends with. */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
