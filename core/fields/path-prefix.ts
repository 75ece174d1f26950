/** The path prefix of the service, as set by a gateway or the operator. */

const MAX_PREFIX_LENGTH = 256
/** Characters of a URL path (RFC 3986, 3.3), percent-encoded octets included. */
const PATH_CHARACTERS = /^(?:[\w.~!$&'()*+;=:@/-]|%[\da-f]{2})+$/i
const PARENT_SEGMENT = /^(?:\.|%2e){2}$/i

/**
 * The prefix without a trailing slash; `/` gives the empty prefix. Null unless the text has exactly one leading slash,
 * only characters of a URL path, no `..` segment and at most 256 characters.
 */
export function parsePathPrefix(text: string): string | null {
  if (text.length > MAX_PREFIX_LENGTH || !text.startsWith('/') || text.startsWith('//') || !PATH_CHARACTERS.test(text))
    return null
  if (text.split('/').some(segment => PARENT_SEGMENT.test(segment))) return null
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === 0x2f) end--
  return text.slice(0, end)
}
