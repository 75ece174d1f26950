/** Verification: whether the expected requests came, and if not, what came closest. */
import type { Difference, Match } from '../match/match.ts'
import { idOf, type CapturedRequest } from './captured-request.ts'
import type { EvaluationRun } from './evaluations.ts'
import type { CaptureSubject, Subjects } from './subjects.ts'
import type { Watcher } from './waits.ts'

/** How many requests are expected; null: no bound. */
export interface Expectation {
  min: number | null
  max: number | null
  /** Such as `exactly 1`. */
  text: string
}

export interface Verification {
  session: string | undefined
  /** Id of an entry or a time; what came before does not count. */
  since: string | null
  withinMs: number
  /** How long nothing more may come after the exact number. */
  settleMs: number
  wanted: WantedRequests | WantedOrder
}

export interface WantedRequests {
  match: Match
  expectation: Expectation
  /** The conditions for messages, such as `with method POST`; empty without conditions. */
  conditions: string
}

export interface WantedOrder {
  order: readonly Match[]
  /** No request that meets any of the matches may come between. */
  isStrict: boolean
}

export interface ClosestRequest {
  id: string
  request_id: string
  method: string
  uri: string
  matched: number
  of: number
  differences: Difference[]
}

/** What a verifier has seen. It keeps no requests. */
export interface VerificationResult {
  isVerified: boolean
  /** Whether more requests than expected are a failure. */
  isBounded: boolean
  expected: string
  /** Requests that matched; of an order, how many of it came. */
  count: number
  lookedAt: number
  /** Ids of the requests that matched, in the order of their arrival; at most 100. */
  ids: string[]
  /** Without the closest request. */
  message: string
  /** The match to which the closest requests are searched, and when they may have arrived earliest; null: none are. */
  lacking: { match: Match; index: number | null; afterMs: number } | null
}

export interface Verifier extends Watcher {
  result(): VerificationResult
}

const MAX_IDS = 100
const MAX_CLOSEST = 5
/** Requests of an order that are kept in mind, with their time. */
const MAX_RELEVANT = 10_000

export function createVerifier(verification: Verification): Verifier {
  const { wanted } = verification
  return 'order' in wanted ? new OrderVerifier(verification, wanted) : new CountVerifier(verification, wanted)
}

class CountVerifier implements Verifier {
  readonly session: string | undefined
  readonly #verification: Verification
  readonly #wanted: WantedRequests
  readonly #ids: string[] = []
  #count = 0
  #lookedAt = 0
  #lastAt = 0

  constructor(verification: Verification, wanted: WantedRequests) {
    this.session = verification.session
    this.#verification = verification
    this.#wanted = wanted
  }

  see(subject: CaptureSubject): void {
    if (!isAfter(this.#verification, subject)) return
    const holds = this.#wanted.match.holds(subject.request)
    this.#lookedAt++
    if (!holds) return
    this.#count++
    this.#lastAt = performance.now()
    if (this.#ids.length < MAX_IDS) this.#ids.push(idOf(subject.captured))
  }

  remainingMs(): number {
    const { min, max } = this.#wanted.expectation
    if (max !== null && this.#count > max) return 0
    if (min === null || this.#count < min) return Infinity
    if (max === null) return 0
    // An exact number must have been the last for some time; other upper bounds hold at the end only.
    if (min !== max || min === 0) return Infinity
    return Math.max(0, this.#lastAt + this.#verification.settleMs - performance.now())
  }

  result(): VerificationResult {
    const { match, expectation, conditions } = this.#wanted
    const { min, max, text } = expectation
    const isTooMany = max !== null && this.#count > max
    const isTooFew = this.#count < (min ?? 0)
    const noun = (max ?? min) === 1 ? 'request' : 'requests'
    return {
      isVerified: !isTooMany && !isTooFew,
      isBounded: max !== null,
      expected: text,
      count: this.#count,
      lookedAt: this.#lookedAt,
      ids: this.#ids,
      message: `expected ${text} ${noun}${conditions === '' ? '' : ` ${conditions}`}, got ${this.#count}`,
      lacking: isTooFew && !isTooMany ? { match, index: null, afterMs: -Infinity } : null,
    }
  }
}

/** A request that meets at least one match of an order. */
interface Relevant {
  id: string
  arrivedAt: number
  /** Indexes of the matches that it meets. */
  fits: readonly number[]
}

class OrderVerifier implements Verifier {
  readonly session: string | undefined
  readonly #verification: Verification
  readonly #wanted: WantedOrder
  readonly #relevant: Relevant[] = []
  #lookedAt = 0
  #held: { requests: Relevant[]; isBroken: boolean } | null = null

  constructor(verification: Verification, wanted: WantedOrder) {
    this.session = verification.session
    this.#verification = verification
    this.#wanted = wanted
  }

  see(subject: CaptureSubject): void {
    if (!isAfter(this.#verification, subject)) return
    const fits = [...this.#wanted.order.keys()].filter(index => this.#wanted.order[index]!.holds(subject.request))
    this.#lookedAt++
    if (fits.length === 0 || this.#relevant.length >= MAX_RELEVANT) return
    const { captured } = subject
    // Requests are captured when they are answered, which may be in another order.
    let place = this.#relevant.length
    while (place > 0 && this.#relevant[place - 1]!.arrivedAt > captured.arrivedAt) place--
    this.#relevant.splice(place, 0, { id: idOf(captured), arrivedAt: captured.arrivedAt, fits })
    this.#held = null
  }

  remainingMs(): number {
    return this.#evaluate().requests.length === this.#wanted.order.length ? 0 : Infinity
  }

  result(): VerificationResult {
    const { order } = this.#wanted
    const { requests, isBroken } = this.#evaluate()
    const index = requests.length
    const expected = `${order.length} requests in order`
    return {
      isVerified: index === order.length,
      isBounded: false,
      expected,
      count: index,
      lookedAt: this.#lookedAt,
      ids: requests.map(({ id }) => id),
      message: `expected ${expected}, got the first ${index}${isBroken ? ' and then another one of them' : ''}`,
      lacking:
        index === order.length
          ? null
          : { match: order[index]!, index, afterMs: requests.at(-1)?.arrivedAt ?? -Infinity },
    }
  }

  /** The first request that meets the first match, then the first one that meets the second, and so on. */
  #evaluate(): { requests: Relevant[]; isBroken: boolean } {
    if (this.#held !== null) return this.#held
    const requests: Relevant[] = []
    let isBroken = false
    for (const relevant of this.#relevant) {
      if (requests.length === this.#wanted.order.length) break
      if (relevant.fits.includes(requests.length)) requests.push(relevant)
      else if (this.#wanted.isStrict && requests.length > 0) {
        isBroken = true
        break
      }
    }
    return (this.#held = { requests, isBroken })
  }
}

function isAfter({ since }: Verification, { request }: CaptureSubject): boolean {
  return since === null || request.facts.isSince!(since)
}

interface Candidate extends ReturnType<Match['explain']> {
  captured: CapturedRequest
}

export interface ClosestOptions {
  /** Oldest first. */
  captured: readonly CapturedRequest[]
  /** Those with all of them added. */
  subjects: Subjects
  run: EvaluationRun
}

/**
 * The requests with the fewest differences, newest first among equals. Throws `TooExpensive` if the conditions take too many
 * steps.
 */
export async function closestRequests(
  { since }: Verification,
  { match, afterMs }: NonNullable<VerificationResult['lacking']>,
  { captured: requests, subjects, run }: ClosestOptions,
): Promise<ClosestRequest[]> {
  const candidates = requests.filter(
    captured => captured.arrivedAt > afterMs && (since === null || subjects.isSince(since, captured)),
  )
  let closest: Candidate[] = []
  await run.each(candidates.reverse(), (captured, steps) => {
    const explained = match.explain(subjects.subject(captured, steps).request)
    if (explained.differences.length === 0) return
    const last = closest.at(-1)
    if (closest.length >= MAX_CLOSEST && last!.differences.length <= explained.differences.length) return
    closest = [...closest, { captured, ...explained }]
      .sort((a, b) => a.differences.length - b.differences.length)
      .slice(0, MAX_CLOSEST)
  })
  return closest.map(({ captured, matched, of, differences }) => ({
    id: idOf(captured),
    request_id: captured.requestId,
    method: captured.method,
    uri: captured.uri,
    matched,
    of,
    differences,
  }))
}
