/** Small valid pictures, for responses that declare one and have no example. */

/** One gray pixel (PNG, 3rd edition). */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16" fill="#888"/></svg>',
)

/** A picture of a media type; undefined for types that are none. */
export function pictureOf(type: string): Buffer | undefined {
  if (type === 'image/png') return PNG
  return type === 'image/svg+xml' ? SVG : undefined
}
