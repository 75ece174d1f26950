/** Chooses a content coding by `Accept-Encoding` (RFC 9110, 12.5.3). */

/** Maximum number of codings that are considered. */
const MAX_ITEMS = 32

/**
 * The coding with the highest quality among those that can be served; on a tie the first one. `identity` without a
 * header, or if nothing else is acceptable. Never fails; a coding with a weight that is not a number from 0 to 1 is
 * ignored.
 */
export function preferredCoding<Coding extends string>(
  header: string | undefined,
  codings: readonly Coding[],
): Coding | 'identity' {
  if (header === undefined || header.trim() === '') return 'identity'
  const qualities = parseQualities(header)
  let best: { coding: Coding | 'identity'; quality: number } = { coding: 'identity', quality: 0 }
  for (const coding of [...codings, 'identity' as const]) {
    const quality = qualityOf(coding, qualities)
    if (quality > best.quality) best = { coding, quality }
  }
  return best.coding
}

/** Maps lower-case codings to their quality, 0 to 1. */
function parseQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  for (const item of header.split(',', MAX_ITEMS)) {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))
    const quality = weight === undefined ? 1 : Number(weight.slice(2))
    // RFC 9110, 8.4.1.3: `x-gzip` is an alias of `gzip`.
    if (quality >= 0 && quality <= 1) qualities.set(name === 'x-gzip' ? 'gzip' : name, quality)
  }
  return qualities
}

/** `identity` is acceptable unless it is excluded, but ranks below anything that was requested. */
function qualityOf(coding: string, qualities: ReadonlyMap<string, number>): number {
  const other = qualities.get('*')
  return qualities.get(coding) ?? (coding === 'identity' ? (other === 0 ? 0 : Number.MIN_VALUE) : (other ?? 0))
}
