/** Finds members that occur twice in a JSON object, which `JSON.parse` hides. */

/** Whether an object in valid JSON text, at any depth, has two members with the same name. */
export function hasRepeatedName(text: string): boolean {
  /** The names of each open object; null for an open array. */
  const open: (Set<string> | null)[] = []
  let isNamePossible = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    if (character === '"') {
      const end = endOfString(text, index)
      const names = open.at(-1)
      if (isNamePossible && names instanceof Set) {
        const name = JSON.parse(text.slice(index, end)) as string
        if (names.has(name)) return true
        names.add(name)
      }
      isNamePossible = false
      index = end - 1
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : null)
      isNamePossible = character === '{'
    } else if (character === '}' || character === ']') {
      open.pop()
      isNamePossible = false
    } else if (character === ',') isNamePossible = true
  }
  return false
}

/** The index after the closing quote of a string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index + 1
}
