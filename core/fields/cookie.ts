/** The `Cookie` header (RFC 6265, 4.2). */

/**
 * Maps names to values in the order of the header, exactly as sent: quotes stay, nothing is decoded. If a name is
 * repeated, the first value counts; parts without `=` are ignored. Empty without a header.
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
