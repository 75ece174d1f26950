/** Owns the choice of a content coding by `Accept-Encoding` (RFC 9110, 12.5.3). */

export type Encoding = 'br' | 'gzip' | 'identity'

/** In the server's order: of equal quality the first wins. */
const CODINGS: readonly Encoding[] = ['br', 'gzip', 'identity']
/** Codings beyond this many are not looked at. */
const MAX_ITEMS = 32

/** The coding that a client wants most. `identity` without a header, and where nothing else is acceptable. */
export function preferredEncoding(header: string | undefined): Encoding {
  if (header === undefined || header.trim() === '') return 'identity'
  const qualities = new Map<string, number>()
  for (const item of header.split(',').slice(0, MAX_ITEMS)) {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))
    const quality = weight === undefined ? 1 : Number(weight.slice(2))
    if (quality >= 0 && quality <= 1) qualities.set(name === 'x-gzip' ? 'gzip' : name, quality)
  }
  const acceptable = CODINGS.filter(coding => qualityOf(coding, qualities) > 0)
  return acceptable.length === 0 ? 'identity' : acceptable.reduce((best, coding) => (qualityOf(coding, qualities) > qualityOf(best, qualities) ? coding : best))
}

/** `identity` is acceptable unless it is excluded, but less than anything that was asked for. */
function qualityOf(coding: Encoding, qualities: ReadonlyMap<string, number>): number {
  const other = qualities.get('*')
  return qualities.get(coding) ?? (coding === 'identity' ? (other === 0 ? 0 : Number.MIN_VALUE) : other ?? 0)
}
