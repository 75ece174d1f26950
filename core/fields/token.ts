/** Tokens (RFC 9110, 5.6.2): what names of fields, cookies, authentication schemes and methods are made of. */

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/** Whether a text is a token. An empty one is not. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}
