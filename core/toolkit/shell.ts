/** Quoting for a POSIX shell (XCU 2.2.2). Imports nothing, since browsers run it too. */

/** Quotes a word if it contains characters that are special to the shell. */
export function quoteWord(text: string): string {
  return /^[A-Za-z0-9_./:=%+,-]+$/.test(text) ? text : singleQuote(text)
}

/** Text in single quotes. Single quotes in it are escaped. */
export function singleQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
