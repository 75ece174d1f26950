/** Types of verifications and HTTP archives, for tests in TypeScript. */
import type { Match, ValueTest } from '../contract/rule-types.ts'

/** Conditions on captured requests: those of rules, and what is known once a request has been answered. */
export interface CapturedMatch extends Match {
  /** Status of the response. */
  status?: ValueTest
  /** Name of the rule that acted on the request. */
  rule?: ValueTest
  /** Id of an entry, or a time (RFC 3339): what came after. */
  since?: string
}

interface VerificationScope {
  /** How long to wait for the requests, up to 30000. Default: 0, only what has come. */
  within_ms?: number
  /** How long nothing more may come after the exact number. Default: 100. */
  settle_ms?: number
  /** Id of an entry, or a time (RFC 3339): what came before does not count. */
  since?: string
  /** Only requests of this session. Default: the session of the client; all without one. */
  session?: string
}

/** How many requests are expected. Default: at least 1. */
type ExpectedCount =
  | { exactly?: number; at_least?: never; at_most?: never; none?: never }
  | { exactly?: never; at_least?: number; at_most?: number; none?: never }
  | { exactly?: never; at_least?: never; at_most?: never; none?: true }

/** Which requests are expected: a number of those that meet `match`, or an `order` of them. */
export type Verification = VerificationScope &
  (
    | ({ match?: CapturedMatch; order?: never; strict?: never } & ExpectedCount)
    | {
        /** 2 to 20 matches, which requests meet one after the other. */
        order: readonly CapturedMatch[]
        /** No request that meets any of the matches may come between. */
        strict?: boolean
        match?: never
        exactly?: never
        at_least?: never
        at_most?: never
        none?: never
      }
  )

/** A verification that holds. */
export interface Verified {
  verified: true
  count: number
  expected: string
  /** Ids of the requests, at most 100. */
  requests: string[]
  waited_ms: number
  /** Older requests that are no longer stored. */
  dropped?: number
  /** Present if stored requests were dropped, so that more may have come. */
  message?: string
}

/** A request that nearly meets the conditions. */
export interface ClosestRequest {
  id: string
  request_id: string
  method: string
  uri: string
  /** Conditions that hold, of how many. */
  matched: number
  of: number
  differences: { at: string; expected: unknown; got: unknown }[]
}

/** What a `VerificationError` says. */
export interface Unverified {
  readonly expected: string
  readonly count: number
  /** Ids of the requests that came. */
  readonly requests: readonly string[]
  /** At most 5, the one with the fewest differences first. */
  readonly closest: readonly ClosestRequest[]
}

interface NameAndValue {
  name: string
  value: string
}

interface HarMessage {
  httpVersion: string
  cookies: NameAndValue[]
  headers: NameAndValue[]
  headersSize: number
  bodySize: number
}

/** An HTTP archive (HAR 1.2). Members with an underscore are those of svc. */
export interface Har {
  log: {
    version: '1.2'
    creator: { name: string; version: string }
    entries: HarEntry[]
  }
}

export interface HarEntry {
  startedDateTime: string
  /** In milliseconds. */
  time: number
  request: HarMessage & {
    method: string
    url: string
    queryString: NameAndValue[]
    postData?: { mimeType: string; text: string; _encoding?: 'base64'; comment?: string }
  }
  response: HarMessage & {
    status: number
    statusText: string
    content: { size: number; mimeType: string; text?: string; encoding?: string; comment?: string }
    redirectURL: string
  }
  cache: object
  timings: { send: number; wait: number; receive: number }
  readonly [member: `_${string}`]: unknown
}
