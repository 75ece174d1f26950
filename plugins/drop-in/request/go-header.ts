/** Header fields as Go's `net/http` keeps them. */

/** Values by canonical name, in the order of arrival. */
export type GoHeader = Map<string, string[]>

/** Upper case at the beginning and after every hyphen. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(?<![^-])[a-z]/g, letter => letter.toUpperCase())
}

/** Header lines as received, without pseudo-headers and without `Host`, which Go keeps elsewhere. */
export function readGoHeader(lines: readonly string[]): GoHeader {
  const header: GoHeader = new Map()
  for (let index = 0; index < lines.length; index += 2) {
    const received = lines[index]!
    const name = canonicalName(received)
    if (received.startsWith(':') || name === 'Host') continue
    const value = Buffer.from(lines[index + 1]!, 'latin1').toString()
    const values = header.get(name)
    if (values === undefined) header.set(name, [value])
    else values.push(value)
  }
  return header
}

/** The fields sorted by name. */
export function sorted(header: GoHeader): [name: string, values: string[]][] {
  return [...header].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** JSON on one line as Go writes it: characters with a meaning in HTML are escaped. */
export function goLine(value: unknown): string {
  const escapes: Record<string, string> = {
    '<': '\\u003c',
    '>': '\\u003e',
    '&': '\\u0026',
    '\u2028': '\\u2028',
    '\u2029': '\\u2029',
  }
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, character => escapes[character]!)
}
