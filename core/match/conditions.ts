/** Conditions in the language of rules on the requests of plugins: exported as `readConditions` and `conditionSubject`. */
import type { StepBudget } from '../contract/budgets.ts'
import type { Json } from '../contract/json.ts'
import type { ReferencedRequest } from '../toolkit/request-references.ts'
import { readMatch, type OwnFact } from './match.ts'
import { MatchSubject, type SubjectFacts } from './subject.ts'

export interface ConditionOptions {
  /** What checking the conditions may take; null if they were checked before, when they were stored. */
  checks: StepBudget | null
  /** Maximum number of conditions. Default: 50. */
  maxTests?: number
  /** Patterns and schemas may be larger than those of strangers. */
  isTrusted?: boolean
  /** Further keys, for facts that only these requests have (`own` of the facts). */
  own?: Readonly<Record<string, OwnFact>>
}

/** A request, read lazily and once, with the budget of one evaluation. */
export interface ConditionSubject {
  readonly facts: SubjectFacts
  readonly steps: StepBudget
}

export interface Conditions {
  /** The subject must come from `conditionSubject`. Throws `TooExpensive` if it has too few steps. */
  holds(subject: ConditionSubject): boolean
}

const MAX_TESTS = 50
/** The protocols of plugins are conditions of the rules of the core only. */
const NO_PROTOCOLS = { names: [], find: () => undefined }

/**
 * Reads conditions: what a rule has under `match`, without protocols and scenarios. Throws an `InputProblem`, and `TooExpensive` if
 * the budget has too few steps.
 */
export function readConditions(
  value: unknown,
  at: string,
  { maxTests = MAX_TESTS, ...options }: ConditionOptions,
): Conditions {
  const match = readMatch(value, at, { ...options, maxTests, protocols: NO_PROTOCOLS, hasCaptures: true })
  return { holds: subject => match.holds(subject as MatchSubject) }
}

export function conditionSubject(facts: SubjectFacts, steps: StepBudget): ConditionSubject {
  return new MatchSubject(facts, steps)
}

/** The request for references in templates. `captures` are those of its path. */
export function referencedRequest(
  subject: ConditionSubject,
  captures: () => ReadonlyMap<string, string>,
): ReferencedRequest {
  return new ReferencedSubject(subject as MatchSubject, captures)
}

/** Templates use little of a request: the rest is not computed. */
class ReferencedSubject implements ReferencedRequest {
  readonly captures: () => ReadonlyMap<string, string>
  readonly #subject: MatchSubject

  constructor(subject: MatchSubject, captures: () => ReadonlyMap<string, string>) {
    this.#subject = subject
    this.captures = captures
  }

  get method(): string {
    return this.#subject.method
  }

  get url(): string {
    return this.#subject.url
  }

  get path(): string {
    return this.#subject.path
  }

  get segments(): readonly string[] {
    return this.#subject.segments
  }

  get host(): string | undefined {
    return this.#subject.host
  }

  get scheme(): string {
    return this.#subject.facts.scheme
  }

  get clientIp(): string {
    return this.#subject.facts.clientIp
  }

  queryValues(name: string): readonly string[] {
    return this.#subject.queryValues(name)
  }

  header(name: string): string | undefined {
    return this.#subject.header(name)
  }

  cookie(name: string): string | undefined {
    return this.#subject.cookie(name)
  }

  json(): Json | undefined {
    return this.#subject.exactJson() ?? this.#subject.formObject()
  }

  text(): string | null {
    return this.#subject.text()
  }
}
