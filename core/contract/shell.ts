/** Words of a POSIX shell (XCU 2.2.2). Imports nothing: the console's client uses it too. */

/** One word: in single quotes unless every character is harmless. */
export function quoteWord(text: string): string {
  return /^[A-Za-z0-9_./:=%+,-]+$/.test(text) ? text : singleQuote(text)
}

/** A text in single quotes, in which everything is literal but the single quote itself. */
export function singleQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
