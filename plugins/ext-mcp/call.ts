/** A call of the service: an MCP method before it goes to the upstream, or its result. */
import type { Json, JsonObject } from 'svc/plugin'
import type { HeaderChanges } from 'svc/toolkit'
import type { CheckedRequest } from '../gateway-services/types.ts'

export const PHASES = ['request', 'response'] as const
export type Phase = (typeof PHASES)[number]

export interface McpCall {
  phase: Phase
  /** Names of the servers behind the gateway. */
  services: readonly string[]
  method: string
  /** `params`, or `result`; undefined without one. Long integers have their digits. */
  value: Json | undefined
  checked: CheckedRequest
}

export type ErrorCode = 'PERMISSION_DENIED' | 'RESOURCE_EXHAUSTED' | 'INVALID'

/** What is decided about a call. `headers` and `metadata` are for the request that goes on. */
export type McpDecision =
  | { kind: 'pass'; reason: string }
  | { kind: 'mutate'; reason: string; value?: Json; headers?: HeaderChanges; metadata?: JsonObject; leftOut: string[] }
  | { kind: 'deny'; reason: string; code: ErrorCode; error?: Json }
  /** A result without a choice. */
  | { kind: 'empty'; reason: string }
  /** A value that is not JSON. */
  | { kind: 'malformed'; reason: string }

/** The body of the checked request: a JSON-RPC message, so that conditions on it hold. */
export function messageOf({ phase, method, value }: Pick<McpCall, 'phase' | 'method' | 'value'>): Json {
  return {
    jsonrpc: '2.0',
    method,
    ...(value === undefined ? {} : phase === 'request' ? { params: value } : { result: value }),
  }
}
