/** Reads field lines as Node gives them: names and values in turn, in the order and case in which they were received. */

/** The value of the first line of a field; undefined if there is none. `name` in lower case. */
export function firstRawHeader(rawHeaders: readonly string[], name: string): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const own = rawHeaders[index]!
    if (own.length === name.length && own.toLowerCase() === name) return rawHeaders[index + 1]
  }
  return undefined
}
