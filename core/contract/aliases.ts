/** The extension point `testing.aliases`: request headers of other projects that say what `X-Svc-Expect` and `X-Svc-Answer` say. */
import type { AnyRequest, ExpectationFailure } from './http.ts'
import type { JsonObject } from './json.ts'

export interface RequestAliases {
  /** Adds headers that are read on all routes where `X-Svc-Expect` and `X-Svc-Answer` are. Call it while the plugin registers. */
  add(alias: RequestAlias): void
}

/**
 * Its functions are called for requests that have one of `fields`, in the places of `X-Svc-Expect` and `X-Svc-Answer`, which come
 * first and win. They must not take long. An `InputProblem` that they throw is a value that can't be read: `refuse` answers it.
 */
export interface RequestAlias {
  /** Names of header fields in lower case. */
  fields: readonly string[]
  /** Conditions in the form of `X-Svc-Expect`; null: none. The body has not been read yet. */
  expect(request: AnyRequest): JsonObject | null
  /** A response in the form of `X-Svc-Answer`; null: the route responds. The body has been read, unless this is a handshake. */
  answer(request: AnyRequest): JsonObject | null
  /**
   * The response if the conditions do not hold (417 in `failure`), or if conditions or response are not valid (400), with the body
   * that `X-Svc-Expect` and `X-Svc-Answer` have then.
   */
  refuse(request: AnyRequest, failure: ExpectationFailure): AliasRefusal
}

export interface AliasRefusal {
  status: number
  headers: Record<string, string>
  /** Text of the body. */
  body: string
}
