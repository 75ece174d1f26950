/** Finds all mistakes in a value whose reader stops at the first one. */
import { isRecord } from '../contract/record.ts'
import { readOrProblem, type Problem } from './input-problem.ts'

const MAX_PROBLEMS = 20
const MAX_READS = 50
/** Members and items that are copied in all to leave out what is wrong: in large values fewer problems are found. */
const MAX_COPIED = 10_000

/**
 * Runs `read` on the value, and returns its result or the problems, in the order in which it finds them, at most 20. After
 * each one, it reads again without the member at the place of the problem, or with what `standIn` returns for the place: a
 * valid value where there has to be one. What is missing only because of that is not reported. `at`: the place of the value
 * in the paths of the problems.
 */
export function readOrProblems<T>(
  value: unknown,
  at: string,
  read: (value: unknown) => T,
  standIn: (place: string) => unknown = () => undefined,
): { value: T } | { problems: [Problem, ...Problem[]] } {
  const first = readOrProblem(() => read(value))
  if (!('problem' in first)) return first
  const problems: [Problem, ...Problem[]] = [first.problem]
  const replaced = new Set<string>()
  const copies = { left: MAX_COPIED }
  let { problem } = first
  let rest = value
  try {
    for (let reads = 0; reads < MAX_READS && problems.length < MAX_PROBLEMS; reads++) {
      if (replaced.has(problem.at)) break
      replaced.add(problem.at)
      const place = problem.at.slice(at.length).replace(/^\./, '')
      const changed = replaceAt(rest, place, standIn(place), copies)
      if (changed === undefined) break
      rest = changed
      const next = readOrProblem(() => read(rest))
      if (!('problem' in next)) break
      ;({ problem } = next)
      if (!problems.some(known => isAround(problem.at, known.at))) problems.push(problem)
    }
  } catch {
    // The budget of the reader is used up; the problems found so far are enough to go on.
  }
  return { problems }
}

/** The first problem, with all of them in `problems` if there are several. */
export function showProblems([first, ...others]: readonly [Problem, ...Problem[]]): Problem & { problems?: Problem[] } {
  return others.length === 0 ? first : { ...first, problems: [first, ...others] }
}

function isAround(outer: string, inner: string): boolean {
  return outer === inner || outer === '' || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
}

/**
 * A copy with another value at the place, such as `then[0].fail`, or without the member if there is none. Undefined: it can't be
 * changed, since there is nothing at the place, since other items of a list would change their places, or since it is too large.
 */
function replaceAt(value: unknown, place: string, wanted: unknown, copies: { left: number }): unknown {
  if (place === '') return wanted
  if (Array.isArray(value)) {
    const [shown, digits] = /^\[(\d{1,9})\]\.?/.exec(place) ?? []
    const index = Number(digits)
    if (shown === undefined || !(index in value)) return undefined
    copies.left -= value.length
    if (copies.left < 0) return undefined
    const item = replaceAt(value[index], place.slice(shown.length), wanted, copies)
    return item === undefined ? undefined : value.with(index, item)
  }
  if (!isRecord(value)) return undefined
  // Names of members can have dots.
  const names = Object.keys(value)
  copies.left -= names.length
  if (copies.left < 0) return undefined
  const key = names
    .filter(name => place === name || place.startsWith(`${name}.`) || place.startsWith(`${name}[`))
    .toSorted((a, b) => b.length - a.length)[0]
  if (key === undefined) return undefined
  const { [key]: member, ...others } = value
  const changed = replaceAt(member, place.slice(key.length).replace(/^\./, ''), wanted, copies)
  if (changed !== undefined) return { ...value, [key]: changed }
  return place === key ? others : undefined
}
