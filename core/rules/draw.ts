/** Random decisions that repeat: the same seed and the same numbers give the same result in every run and replica. */
import { createHash } from 'node:crypto'

/** A share from 0 to below 1. */
export function drawShare(...seed: readonly (string | number)[]): number {
  return digestOf(seed).readUIntBE(0, 6) / 2 ** 48
}

/** A UUID (RFC 9562, 5.8: version 8, as it is not random). */
export function drawUuid(...seed: readonly (string | number)[]): string {
  const bytes = digestOf(seed).subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function digestOf(seed: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(seed)).digest()
}
