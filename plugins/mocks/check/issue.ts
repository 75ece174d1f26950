/** One finding of a check: an error that keeps a document from being deployed, or a warning. */

export interface Issue {
  code: string
  /** JSON pointer fragment into the document, or a path such as `rules[0].when[1].op`; null when it has no place. */
  at: string | null
  message: string
  /** Line of the source, where it is known. */
  line?: number
}

/** Makes one finding. */
export function issue(code: string, at: string | null, message: string, line?: number): Issue {
  return line === undefined ? { code, at, message } : { code, at, message, line }
}
