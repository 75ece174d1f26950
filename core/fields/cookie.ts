/** The `Cookie` header (RFC 6265, 4.2). */

/**
 * Names to values in the order of the header, exactly as sent: no quotes removed, nothing decoded. Of a repeated name the
 * first counts; what has no `=` is left out. Empty without a header.
 */
export function parseCookies(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>()
  if (header === undefined) return cookies
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals === -1) continue
    const name = pair.slice(0, equals).trim()
    if (!cookies.has(name)) cookies.set(name, pair.slice(equals + 1).trim())
  }
  return cookies
}
