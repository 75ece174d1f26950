/** The lines of a file that is read in parts. */

const LINE_END = 0x0a

/**
 * The lines of a text in UTF-8, without their ends. Blank lines at the end are left out. Null: the line has more than
 * `maxBytes`.
 */
export function* linesOf(chunks: Iterable<Buffer>, maxBytes: number): Iterable<string | null> {
  let parts: Buffer[] = []
  let bytes = 0
  let blank = 0
  const add = (part: Buffer): void => {
    bytes += part.length
    // What is too long is not kept.
    if (bytes > maxBytes) parts = []
    else if (part.length > 0) parts.push(part)
  }
  const end = (): string | null => {
    const line = bytes > maxBytes ? null : parts.length === 1 ? parts[0]!.toString() : Buffer.concat(parts).toString()
    parts = []
    bytes = 0
    return line
  }
  for (const chunk of chunks) {
    let start = 0
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, start)) {
      add(chunk.subarray(start, at))
      start = at + 1
      const line = end()
      if (line !== null && line.trim() === '') blank += 1
      else {
        for (; blank > 0; blank--) yield ''
        yield line
      }
    }
    add(chunk.subarray(start))
  }
  const last = end()
  if (last !== null && last.trim() === '') return
  for (; blank > 0; blank--) yield ''
  yield last
}
