/** The choice of a content coding by `Accept-Encoding` (RFC 9110, 12.5.3). */

/** Codings beyond this many are not looked at. */
const MAX_ITEMS = 32

/**
 * The coding that a client wants most, of those that can be served; of equal quality the first. `identity` without a
 * header, and where nothing else is acceptable. Never refuses; a coding whose weight is no number from 0 to 1 is ignored.
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

/** Lower-case coding to quality, 0 to 1. */
function parseQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  for (const item of header.split(',', MAX_ITEMS)) {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))
    const quality = weight === undefined ? 1 : Number(weight.slice(2))
    // RFC 9110, 8.4.1.3: `x-gzip` is another name of `gzip`.
    if (quality >= 0 && quality <= 1) qualities.set(name === 'x-gzip' ? 'gzip' : name, quality)
  }
  return qualities
}

/** `identity` is acceptable unless it is excluded, but less than anything that was asked for. */
function qualityOf(coding: string, qualities: ReadonlyMap<string, number>): number {
  const other = qualities.get('*')
  return qualities.get(coding) ?? (coding === 'identity' ? (other === 0 ? 0 : Number.MIN_VALUE) : (other ?? 0))
}
