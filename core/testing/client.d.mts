/** The types of `client.mjs`. */
import type { TestClient } from './types.ts'

export declare class TestClientError extends Error {
  constructor(status: number, body: unknown)
  readonly status: number
  readonly body: unknown
}
export declare function connect(url: string, options?: { token?: string }): TestClient
