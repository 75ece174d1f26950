/** How strictly requests are checked: `X-Svc-Validation`, rules, providers and the environment say it in the same words. */
import { isRecord, unknownName } from 'svc/toolkit'

export const LEVELS = ['off', 'warn', 'enforce'] as const
export type Level = (typeof LEVELS)[number]

/** A level, with exceptions. A name may end in `*`. */
export interface Strictness {
  level: Level
  /** Rules that are not applied. */
  except: readonly string[]
  /** Assumed rules that refuse nevertheless. */
  also: readonly string[]
}

/** Strictness in an option or a step of a rule: a level, or the same with lists. */
export type StrictnessOption =
  | Level
  | { level?: Level; except?: readonly string[]; also?: readonly string[]; fields?: readonly string[] }

/** Names of a list in a header or an option. */
export const MAX_NAMES = 50
const PARAMETERS = ['except', 'also'] as const

/** A mistake in what somebody wrote. */
export interface StrictnessProblem {
  /** The member that is wrong, such as `level` or `except[1]`. */
  at: string
  message: string
  remedy?: string
}

export function isLevel(value: unknown): value is Level {
  return LEVELS.some(level => level === value)
}

/** Reads `enforce; except=openai.schema-* openai.range; also=openai.max-both`. `rules`: the ids of all rules. */
export function readStrictness(text: string, rules: readonly string[]): Strictness | StrictnessProblem {
  const [first = '', ...parts] = text.split(';').map(part => part.trim())
  if (!isLevel(first)) return { at: 'level', ...unknownName('level', first, LEVELS, { listsNames: true }) }
  const lists: Record<(typeof PARAMETERS)[number], string[]> = { except: [], also: [] }
  for (const part of parts) {
    if (part === '') continue
    const [name = '', value = ''] = split(part)
    const known = PARAMETERS.find(parameter => parameter === name)
    if (known === undefined) return { at: name, ...unknownName('parameter', name, PARAMETERS, { listsNames: true }) }
    lists[known] = value.split(/\s+/).filter(id => id !== '')
    const problem = problemOfNames(known, lists[known], rules)
    if (problem !== null) return problem
  }
  return { level: first, ...lists }
}

function split(part: string): string[] {
  const at = part.indexOf('=')
  return at < 0 ? [part, ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
}

/** The first name that is not a rule; null: all are. */
export function problemOfNames(
  list: string,
  names: readonly string[],
  rules: readonly string[],
): StrictnessProblem | null {
  if (names.length > MAX_NAMES) return { at: list, message: `${list} has more than ${MAX_NAMES} rules` }
  for (const [index, name] of names.entries())
    if (!rules.some(rule => matches(name, rule)))
      return { at: `${list}[${index}]`, ...unknownName('rule', name, rules) }
  return null
}

/** Whether a name, which may end in `*`, stands for a rule. */
export function matches(name: string, rule: string): boolean {
  return name.endsWith('*') ? rule.startsWith(name.slice(0, -1)) : name === rule
}

export function isProblem(value: Strictness | StrictnessProblem): value is StrictnessProblem {
  return 'message' in value
}

/** The strictness that an option states; null: it states only `fields`. */
export function strictnessOf(option: StrictnessOption | undefined): Strictness | null {
  if (option === undefined) return null
  if (!isRecord(option)) return { level: option, except: [], also: [] }
  const { level, except = [], also = [] } = option
  return level === undefined ? null : { level, except, also }
}
