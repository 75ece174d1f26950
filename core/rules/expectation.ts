/** Expectations by header: conditions that a request states about itself (`X-Svc-Expect`). */
import { InputProblem, readOrProblem, type Problem } from '../toolkit/input-problem.ts'
import { isTextNestedWithin } from '../toolkit/json-depth.ts'
import { readMatch, type Difference, type Match, type MatchOptions } from '../match/match.ts'

const MAX_CHARACTERS = 16_384
const MAX_DEPTH = 100

/** The conditions in the value of the header: JSON, or base64url of it. Throws `TooExpensive`. */
export function readExpectation(
  text: string,
  options: Pick<MatchOptions, 'protocols' | 'maxTests' | 'checks'>,
): { value: Match } | { problem: Problem } {
  return readOrProblem(() => readMatch(parse(text), '', options))
}

function parse(text: string): unknown {
  const trimmed = text.trim()
  const plain = /^[A-Za-z0-9_-]+={0,2}$/.test(trimmed) ? Buffer.from(trimmed, 'base64url').toString('utf8') : trimmed
  try {
    if (plain.length <= MAX_CHARACTERS && isTextNestedWithin(plain, MAX_DEPTH)) return JSON.parse(plain)
  } catch {
    // Reported below.
  }
  throw new InputProblem('', 'expected conditions as a JSON object, or base64url of it')
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
