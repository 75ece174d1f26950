/** Tokens (RFC 9110, 5.6.2): the syntax of field names, cookie names, authentication schemes and methods. */

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/** Whether a text is a token; false for an empty text. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}
