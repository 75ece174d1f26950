/** The results of an analyzer that an anonymizer replaces: read, and without conflicts. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { GuardProblem } from './facade.ts'

export interface Result {
  /** Code points. */
  start: number
  end: number
  type: string
  score: number
}

/** Parameters that the service refuses. */
export const invalid = (message: string): GuardProblem => new GuardProblem(message, { status: 422 })

/** Reads results about a text of this length, in code points. Throws a `GuardProblem`. */
export function readResults(value: Json | undefined, length: number): Result[] {
  if (!Array.isArray(value)) throw invalid('Invalid input, analyzer_results must be a list')
  return value.map((item, index): Result => {
    const { start, end, entity_type: type, score = 1 } = isRecord(item) ? (item as JsonObject) : {}
    const isPlace = Number.isInteger(start) && Number.isInteger(end)
    if (!isPlace || typeof type !== 'string' || typeof score !== 'number')
      throw invalid(`Invalid input, analyzer_results[${index}] needs start, end, entity_type and score`)
    const [from, to] = [start as number, end as number]
    if (from < 0 || to < from || to > length)
      throw invalid(`Invalid analyzer result, start: ${from} and end: ${to}, while the text has ${length} characters`)
    return { start: from, end: to, type, score }
  })
}

/**
 * Joins results of one type that overlap, or that only spaces separate, and drops those that are within another one. Results of several
 * types may still overlap. `isBlank` says whether a part of the text has nothing but spaces.
 */
export function withoutConflicts(
  results: readonly Result[],
  isBlank: (start: number, end: number) => boolean,
): Result[] {
  const joined: Result[] = []
  for (const result of withoutContained(joinOverlapping(results.toSorted(byPlace)))) {
    const last = joined.at(-1)
    const isNext = last !== undefined && last.type === result.type && last.end < result.start
    if (isNext && isBlank(last.end, result.start)) joined[joined.length - 1] = { ...result, start: last.start }
    else joined.push(result)
  }
  return joined
}

function byPlace(one: Result, other: Result): number {
  return one.start - other.start || one.end - other.end
}

/** In the order of the places where they end. */
function joinOverlapping(results: readonly Result[]): Result[] {
  const open = new Map<string, { result: Result; index: number }>()
  const done: { result: Result; index: number }[] = []
  for (const [index, result] of results.entries()) {
    const before = open.get(result.type)
    if (before !== undefined && Math.min(before.result.end, result.end) > result.start) {
      const { start, end, score } = before.result
      before.result = { ...result, start, end: Math.max(end, result.end), score: Math.max(score, result.score) }
      before.index = index
      continue
    }
    if (before !== undefined) done.push(before)
    open.set(result.type, { result, index })
  }
  return [...done, ...open.values()].sort((one, other) => one.index - other.index).map(({ result }) => result)
}

/** Of results at the same place, the one with the highest score stays, and of these the last. */
function withoutContained(results: readonly Result[]): Result[] {
  const order = [...results.entries()].sort(
    ([first, one], [second, other]) =>
      one.start - other.start || other.end - one.end || other.score - one.score || second - first,
  )
  const kept = new Set<Result>()
  let largestEnd = -1
  for (const [, result] of order) {
    if (result.end <= largestEnd) continue
    kept.add(result)
    largestEnd = result.end
  }
  return results.filter(result => kept.has(result))
}
