/** Expectations by header: conditions that a request states about itself (`X-Svc-Expect`). */
import type { JsonObject } from '../contract/json.ts'
import { readOrProblem, type Problem } from '../toolkit/input-problem.ts'
import { readMatch, type Difference, type Match, type MatchOptions } from '../match/match.ts'
import { readHeaderJson } from './header-json.ts'

const MAX_CHARACTERS = 16_384
const EXPECTED = 'expected conditions as a JSON object, or base64url of it'

/** The conditions in the value of the header, as JSON or base64url of it, or as an object. Throws `TooExpensive`. */
export function readExpectation(
  given: string | JsonObject,
  options: Pick<MatchOptions, 'protocols' | 'maxTests' | 'checks'>,
): { value: Match } | { problem: Problem } {
  return readOrProblem(() =>
    readMatch(typeof given === 'string' ? readHeaderJson(given, MAX_CHARACTERS, EXPECTED) : given, '', options),
  )
}

const CREDENTIALS = new Set([
  'header.authorization',
  'header.proxy-authorization',
  'header.cookie',
  'header.x-api-key',
  'header.api-key',
  'header.x-goog-api-key',
  'header.x-svc-key',
  'header.x-svc-admin-token',
  'query.key',
  'query.api-key',
  'query.authorization',
  'query.access_token',
])

/** Differences without the credentials of the request. */
export function maskedDifferences(differences: readonly Difference[]): Difference[] {
  return differences.map(difference =>
    (CREDENTIALS.has(difference.at.toLowerCase()) || difference.at.startsWith('cookie.')) && difference.got !== null
      ? { ...difference, got: masked(String(difference.got)) }
      : difference,
  )
}

const SHOWN = 4

function masked(text: string): string {
  return `****${text.length > 2 * SHOWN ? text.slice(-SHOWN) : ''}`
}
