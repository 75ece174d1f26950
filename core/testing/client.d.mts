/** The types of `client.mjs`. */
import type { TestClient } from './types.ts'
import type { ClosestRequest, Unverified } from './verification-types.ts'

export declare class TestClientError extends Error {
  constructor(status: number, body: unknown, options?: ErrorOptions)
  readonly status: number
  readonly error: string
  readonly details: string
  readonly body: unknown
}
export declare class VerificationError extends Error implements Unverified {
  constructor(message: string, details: Unverified)
  readonly expected: string
  readonly count: number
  readonly requests: readonly string[]
  readonly closest: readonly ClosestRequest[]
}
export declare function connect(url?: string, options?: { token?: string }): TestClient
