/** An issue found by a check: an error, which prevents deployment, or a warning. */

export interface Issue {
  code: string
  /** JSON pointer fragment into the document, or a path such as `rules[0].when[1].op`; null if it has no location. */
  at: string | null
  message: string
  /** Line in the source, if known. */
  line?: number
}

/** Creates an issue. */
export function issue(code: string, at: string | null, message: string, line?: number): Issue {
  return line === undefined ? { code, at, message } : { code, at, message, line }
}
