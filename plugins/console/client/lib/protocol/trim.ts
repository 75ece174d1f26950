/** Trims without regular expressions, since `/x+$/` takes quadratic time for a text of many `x`. */

/** Removes trailing `characters` from a text. */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
