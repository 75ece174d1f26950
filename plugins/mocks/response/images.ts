/** Small valid images, for image responses without an example. */

/** One gray pixel (PNG, 3rd edition). */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16" fill="#888"/></svg>',
)

/** An image of a media type; undefined for other types. */
export function imageFor(type: string): Buffer | undefined {
  if (type === 'image/png') return PNG
  return type === 'image/svg+xml' ? SVG : undefined
}
