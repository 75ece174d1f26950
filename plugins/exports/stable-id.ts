/** Ids in exported files, derived from the content, so that repeated exports are equal. */
import { createHash } from 'node:crypto'

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** The length that Bruno requires. */
const LENGTH = 21

/** Returns 21 letters and digits, the same for the same parts. */
export function stableId(...parts: (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest()
  return Array.from(digest.subarray(0, LENGTH), byte => CHARACTERS[byte % CHARACTERS.length]).join('')
}
