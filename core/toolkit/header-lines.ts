/** Header lines in the steps of rules: names, and texts with references. */
import type { OutputBudget } from '../contract/budgets.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import { isRecord } from '../contract/record.ts'
import { headerProblem } from '../fields/settable-header.ts'
import { asMembers, asText, below, InputProblem } from './input-problem.ts'
import { expandText, type LookUp } from './references.ts'

export type HeaderLine = readonly [name: string, value: string]

/** What changes in the headers of a message. */
export interface HeaderChanges {
  /** Replace what the message has. */
  set: readonly HeaderLine[]
  /** Come in addition to it. */
  append: readonly HeaderLine[]
  /** Names in lower case. */
  remove: readonly string[]
}

export const NO_HEADER_CHANGES: HeaderChanges = { set: [], append: [], remove: [] }

const CHANGES = ['set', 'append', 'remove'] as const
const MAX_LINES = 100
const MAX_VALUE = 8192
const MAX_NAME = 200

/** Reads an object of names and texts, or lists of texts. Throws an `InputProblem`. */
export function readLines(value: Json | undefined, at: string): HeaderLine[] {
  if (value === undefined) return []
  if (!isRecord(value)) throw new InputProblem(at, 'expected an object of names and texts')
  const lines = Object.entries(value as JsonObject).flatMap(([name, texts]) =>
    (Array.isArray(texts) ? texts : [texts]).map(
      (text): HeaderLine => [name, asText(text, below(at, name), MAX_VALUE)],
    ),
  )
  if (lines.length > MAX_LINES) throw new InputProblem(at, `expected at most ${MAX_LINES} values`)
  return lines
}

/** Reads lines whose names are those of headers that a user may set. Throws an `InputProblem`. */
export function readHeaderLines(value: Json | undefined, at: string): HeaderLine[] {
  const lines = readLines(value, at)
  for (const [name, text] of lines) rejectHeader(name, text, below(at, name))
  return lines
}

/** Reads a list of names. Throws an `InputProblem`. */
export function readNames(value: Json | undefined, at: string): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > MAX_LINES)
    throw new InputProblem(at, `expected a list of at most ${MAX_LINES} names`)
  return value.map((name, index) => asText(name, below(at, index), MAX_NAME, 1))
}

/** Reads a list of names of headers that a user may change; they are returned in lower case. Throws an `InputProblem`. */
export function readHeaderNames(value: Json | undefined, at: string): string[] {
  return readNames(value, at).map((name, index) => {
    rejectHeader(name, '', below(at, index))
    return name.toLowerCase()
  })
}

/** Reads an object of changes; `known` are the members that it may have. Throws an `InputProblem`. */
export function readHeaderChanges(
  value: Json | undefined,
  at: string,
  known: readonly (typeof CHANGES)[number][] = CHANGES,
): HeaderChanges {
  if (value === undefined) return NO_HEADER_CHANGES
  const { set, append, remove } = asMembers(value, at, known)
  return {
    set: readHeaderLines(set, below(at, 'set')),
    append: readHeaderLines(append, below(at, 'append')),
    remove: readHeaderNames(remove, below(at, 'remove')),
  }
}

function rejectHeader(name: string, value: string, at: string): void {
  const problem = headerProblem(name, value)
  if (problem === null) return
  const shown = JSON.stringify(name.slice(0, MAX_NAME))
  throw new InputProblem(
    at,
    problem === 'name'
      ? `${shown} is not the name of a header`
      : problem === 'reserved'
        ? `${shown} belongs to the connection or to the whole origin, and can't be changed`
        : 'expected printable ASCII characters',
  )
}

/** The lines of one hit. Throws the errors of the budget. */
export function expandLines(lines: readonly HeaderLine[], lookUp: LookUp, output: OutputBudget): HeaderLine[] {
  return lines.map(([name, value]) => [name, settable(expandText(value, lookUp, output))])
}

/** The changes of one hit. Throws the errors of the budget. */
export function expandHeaderChanges(changes: HeaderChanges, lookUp: LookUp, output: OutputBudget): HeaderChanges {
  const { set, append, remove } = changes
  return { set: expandLines(set, lookUp, output), append: expandLines(append, lookUp, output), remove }
}

/** A text as the value of a header: characters that it can't have are replaced. */
export function settable(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, '?')
}
