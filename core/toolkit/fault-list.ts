/** Reads a list of faults that a request asks for: `<kind>[@<n>][:<percent>]`, separated by commas. */
import { nearest } from './nearest.ts'

const MAX_FAULTS = 5
const MAX_NUMBER = 10_000

/** A fault of the list. */
export interface ListedFault<Kind extends string> {
  kind: Kind
  /** The number after `@`, 1 to 10000. Default: 1. */
  at: number
  /** 1 to 100. Default: 100. */
  percent: number
  /** As in the list. */
  text: string
}

/** Why a list can't be read. */
export interface FaultListProblem<Kind extends string> {
  /** The fault that can't be read, or the list. */
  got: string
  /** What its numbers may be, or how many faults a list may have. Undefined: the kind is unknown. */
  expected?: string
  /** The kind that a misspelled one probably means. */
  meant?: Kind
}

/** At most five faults. A list that can't be read is a problem: a misspelled fault must not look like a client that copes. */
export function parseFaultList<Kind extends string>(
  list: string,
  kinds: readonly Kind[],
): ListedFault<Kind>[] | FaultListProblem<Kind> {
  const texts = list.split(',', MAX_FAULTS + 1).map(text => text.trim())
  if (texts.length > MAX_FAULTS) return { got: list, expected: `at most ${MAX_FAULTS} faults` }
  const faults: ListedFault<Kind>[] = []
  for (const text of texts) {
    const fault = parseFault(text, kinds)
    if ('got' in fault) return fault
    faults.push(fault)
  }
  return faults
}

function parseFault<Kind extends string>(
  text: string,
  kinds: readonly Kind[],
): ListedFault<Kind> | FaultListProblem<Kind> {
  const match = /^([a-z0-9-]{1,40})(?:@(\d{1,5}))?(?::(\d{1,3}))?$/.exec(text)
  const kind = kinds.find(name => name === match?.[1])
  const at = Number(match?.[2] ?? 1)
  const percent = Number(match?.[3] ?? 100)
  if (kind === undefined) {
    const meant = nearest(text.slice(0, 200).split(/[@:]/, 1)[0] ?? '', kinds) as Kind | undefined
    return { got: text, ...(meant === undefined ? {} : { meant }) }
  }
  if (at < 1 || at > MAX_NUMBER) return { got: text, expected: `@n must be 1 to ${MAX_NUMBER}` }
  if (percent < 1 || percent > 100) return { got: text, expected: 'the percentage must be 1 to 100' }
  return { kind, at, percent, text }
}
