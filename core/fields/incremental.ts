/** The field `Incremental` (RFC 10036): a message that intermediaries forward as it arrives. */

const KEY = '[a-z*][a-z0-9_.*-]*'
/** Values of parameters (RFC 9651, 3.3): numbers and dates, strings, display strings, byte sequences, booleans and tokens. */
const VALUE = [
  String.raw`@?-?\d{1,15}(?:\.\d{1,3})?`,
  String.raw`%?"(?:[ !#-\[\]-~]|\\["\\])*"`,
  ':[A-Za-z0-9+/]*={0,2}:',
  String.raw`\?[01]`,
  "[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*",
].join('|')
const TRUE_ITEM = new RegExp(`^ *\\?1(?:; *${KEY}(?:=(?:${VALUE}))?)* *$`)

/**
 * Whether a request asks for an incremental response: the field is an item with the value true, with or without parameters. Any
 * other value, and two fields, count as none (RFC 10036, 3; RFC 9651, 4.2).
 */
export function asksIncremental(value: string | string[] | undefined): boolean {
  return typeof value === 'string' && (value === '?1' || TRUE_ITEM.test(value))
}
