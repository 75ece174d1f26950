/** Request headers with one value per name. */

/** Values by lower-case name. Joins repeated lines with a comma (RFC 9110, 5.3), cookies with `; ` (RFC 6265, 5.4). */
export function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const joined: Record<string, string> = Object.create(null)
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (name.startsWith(':')) continue
    const value = rawHeaders[index + 1]!
    const before = joined[name]
    joined[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return joined
}
