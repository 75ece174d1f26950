/**
 * Source maps of the package (ECMA-426) keep the first position of each original line: stack traces show files and lines, and
 * the maps have a quarter of the size.
 */

interface SourceMap {
  mappings: string
  names: string[]
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const CONTINUES = 0b100_000
const BITS = 0b11_111

/** Returns a map of the same script, without columns and names of the sources. `text` is a map as esbuild writes it. */
export function linesOnly(text: string): string {
  const map = JSON.parse(text) as SourceMap
  /** Absolute values of the segment before: generated column, source, original line, original column. */
  const read = [0, 0, 0, 0]
  const kept = [0, 0, 0, 0]
  let previous = ''
  const lines = map.mappings.split(';').map(line => {
    read[0] = 0
    kept[0] = 0
    const segments: string[] = []
    for (const segment of line === '' ? [] : line.split(',')) {
      const deltas = decode(segment)
      for (const [index, delta] of deltas.slice(0, 4).entries()) read[index]! += delta
      const isMapped = deltas.length > 1
      const place = isMapped ? `${read[1]}:${read[2]}` : ''
      if (place === previous && segments.length > 0) continue
      previous = place
      segments.push(encode((isMapped ? [read[0], read[1], read[2], 0] : [read[0]]) as number[], kept))
    }
    return segments.join(',')
  })
  return JSON.stringify({ ...map, mappings: lines.join(';'), names: [] })
}

/** Writes a segment relative to `kept`, and sets that to its values. */
function encode(values: readonly number[], kept: number[]): string {
  return values
    .map((value, index) => {
      const delta = value - kept[index]!
      kept[index] = value
      return number(delta)
    })
    .join('')
}

/** Base64 VLQ: the sign is in the lowest bit. */
function number(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2
  let text = ''
  do {
    const digit = rest & BITS
    rest >>>= 5
    text += DIGITS[rest > 0 ? digit | CONTINUES : digit]
  } while (rest > 0)
  return text
}

function decode(segment: string): number[] {
  const values: number[] = []
  let value = 0
  let shift = 0
  for (const letter of segment) {
    const digit = DIGITS.indexOf(letter)
    value |= (digit & BITS) << shift
    shift += 5
    if ((digit & CONTINUES) !== 0) continue
    values.push(value & 1 ? -(value >>> 1) : value >>> 1)
    value = 0
    shift = 0
  }
  return values
}
