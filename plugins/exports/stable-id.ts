/** Owns the ids in exported files: made from what they name, so that two exports of the same thing are alike. */
import { createHash } from 'node:crypto'

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** The length that Bruno asks for; enough for every other tool. */
const LENGTH = 21

/** 21 letters and digits, the same for the same parts. */
export function stableId(...parts: (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest()
  return Array.from(digest.subarray(0, LENGTH), byte => CHARACTERS[byte % CHARACTERS.length]).join('')
}
