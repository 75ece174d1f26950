/** Limits of bins, on normal and on public instances. */
import type { Config } from 'svc/plugin'

const MIB = 1024 * 1024

/** Bytes of memory of all bins together. On a public instance, all bins fit even when they are full. */
export function totalBytesOf({ publicMode }: Config): number {
  return publicMode ? 32 * MIB : 64 * MIB
}

/** As replies show it. */
export interface BinLimits {
  max_bins: number
  max_bins_per_session: number
  ttl_secs: number
  /** Stored requests per bin. */
  max_requests: number
  /** Bytes of all stored requests of a bin. */
  max_bytes_per_bin: number
  /** Stored bytes per body. */
  max_captured_body: number
  max_delay_ms: number
}

export function limitsOf({ publicMode, maxDelayMs }: Config): BinLimits {
  return publicMode
    ? {
        max_bins: 100,
        max_bins_per_session: 10,
        ttl_secs: 3600,
        max_requests: 50,
        max_bytes_per_bin: 262_144,
        max_captured_body: 65_536,
        max_delay_ms: maxDelayMs,
      }
    : {
        max_bins: 200,
        max_bins_per_session: 200,
        ttl_secs: 86_400,
        max_requests: 100,
        max_bytes_per_bin: 1_048_576,
        max_captured_body: 65_536,
        max_delay_ms: maxDelayMs,
      }
}
