/** Formats the metadata and the deadline of a call for a reply. */
import type { Metadata } from '@grpc/grpc-js'
import { BRIDGE_PREFIX, BRIDGE_TIMEOUT } from '../bridge/headers.ts'

/** An entry of a map field. From a descriptor set, the loader creates the wire format of maps: a list of entries. */
export interface MapEntry {
  key: string
  value: string
}

/** Names in lower case, repeated values joined, binary values as padded base64; without the fields of the bridge. */
export function showMetadata(metadata: Metadata): MapEntry[] {
  return Object.entries(metadata.toJSON())
    .filter(([name]) => !name.startsWith(':') && !name.startsWith(BRIDGE_PREFIX))
    .map(([key, values]) => ({
      key,
      value: values.map(value => (typeof value === 'string' ? value : value.toString('base64'))).join(', '),
    }))
}

/** Milliseconds per unit of `grpc-timeout` (gRPC over HTTP/2, "Timeout"). */
const UNIT_MS: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** The `grpc-timeout` header as received, and in whole milliseconds; empty and 0 if it is absent. */
export function readTimeout(metadata: Metadata): { text: string; ms: number } {
  const text = String(metadata.get(BRIDGE_TIMEOUT)[0] ?? '')
  const [, amount, unit] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? []
  return { text, ms: unit === undefined ? 0 : Math.floor(Number(amount) * UNIT_MS[unit]!) }
}
