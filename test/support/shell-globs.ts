/** Finds words of shell commands that zsh would refuse: with `?`, `*` or `[` outside of quotes. */

/** The words of a script that have one of these characters without quotes, with their line from 1. */
export function unquotedGlobs(script: string): { line: number; word: string }[] {
  const found: { line: number; word: string }[] = []
  let quote: '"' | "'" | null = null
  let end: string | null = null
  /** Open `$(` within double quotes, whose quotes are its own. */
  let depth = 0
  for (const [index, text] of script.split('\n').entries()) {
    if (end !== null) {
      if (text.trim() === end) end = null
      continue
    }
    let word = ''
    let isGlob = false
    const finish = (): void => {
      // `[` and `[[` alone are commands, and `?` follows `$`.
      if (isGlob && !/^\[{1,2}$/.test(word)) found.push({ line: index + 1, word })
      word = ''
      isGlob = false
    }
    for (let at = 0; at < text.length; at++) {
      const character = text[at]!
      if (quote !== null) {
        if (quote === '"' && character === '(' && (depth > 0 || text[at - 1] === '$')) depth++
        else if (depth > 0) depth -= character === ')' ? 1 : 0
        else if (character === quote) quote = null
        else if (character === '\\' && quote === '"') at++
        word += character
      } else if (character === '#' && word === '') break
      else if (character === "'" || character === '"') {
        quote = character
        word += character
      } else if (character === '\\') at++
      else if (/[\s;|&()<>]/.test(character)) finish()
      else {
        if (/[?*[]/.test(character) && text[at - 1] !== '$') isGlob = true
        word += character
      }
    }
    finish()
    const here = /<<-?\s*'?"?(\w+)/.exec(text)
    if (here !== null && quote === null) end = here[1]!
  }
  return found
}
