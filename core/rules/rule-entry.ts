/** Rules in force: read rules with their origin and identity, in the order of evaluation. */
import type { JsonObject } from '../contract/json.ts'
import { MatchIndex } from '../match/match-index.ts'
import type { Match } from '../match/match.ts'
import type { ProtocolRegistry } from '../match/protocols.ts'
import type { Rule } from './rule.ts'
import type { RuleVocabulary } from './vocabulary.ts'

/** Where a rule comes from, in the order of evaluation within a scope. */
export type RuleSource = 'api' | 'svc.yaml' | 'fixture'

/** A rule as stored over HTTP. Plain JSON. */
export interface StoredRule {
  /** Identifies its counters. */
  id: string
  rule: JsonObject
  /** Milliseconds since 1970. */
  createdAt: number
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null
}

export interface RuleEntry extends Omit<StoredRule, 'rule'> {
  readonly rule: Rule
  readonly match: Match
  /** Null: the instance. */
  readonly session: string | null
  readonly source: RuleSource
  /** Of rules in files. */
  readonly file: string | null
  readonly line: number | null
}

const NONE: readonly RuleEntry[] = []

/** The rules of one generation that come from files, and what rules can say in it. */
export class GenerationRules {
  readonly vocabulary: RuleVocabulary
  #bySession = new Map<string | null, RuleEntry[]>()

  constructor(vocabulary: RuleVocabulary) {
    this.vocabulary = vocabulary
  }

  get protocols(): ProtocolRegistry {
    return this.vocabulary.protocols
  }

  /** In file order; those of `svc.yaml` come first. */
  add(entries: readonly RuleEntry[]): void {
    for (const entry of entries) {
      const known = this.#bySession.get(entry.session)
      if (known === undefined) this.#bySession.set(entry.session, [entry])
      else known.push(entry)
    }
  }

  /** Removes all. */
  clear(): void {
    this.#bySession = new Map()
  }

  get isEmpty(): boolean {
    return this.#bySession.size === 0
  }

  /** Whether a rule belongs to a session. */
  get hasSessions(): boolean {
    return this.#bySession.size > (this.#bySession.has(null) ? 1 : 0)
  }

  /** Null: the instance. The same list until the rules change. */
  ofSession(session: string | null): readonly RuleEntry[] {
    return this.#bySession.get(session) ?? NONE
  }

  find(name: string, session: string | null): RuleEntry | undefined {
    return this.ofSession(session).find(entry => entry.rule.name === name)
  }
}

/** The rules of one scope, in the order of evaluation. */
export class RuleList {
  readonly entries: readonly RuleEntry[]
  readonly index: MatchIndex<RuleEntry>

  /** `entries`: those stored over HTTP, newest first, then those of files. */
  constructor(entries: readonly RuleEntry[]) {
    this.entries = entries.toSorted((one, other) => other.rule.priority - one.rule.priority)
    this.index = new MatchIndex(this.entries)
  }
}

/** Two lists in the order of evaluation, merged by priority; at equal priority the first list comes first. */
export function mergeByPriority(first: readonly RuleEntry[], second: readonly RuleEntry[]): readonly RuleEntry[] {
  if (first.length === 0) return second
  if (second.length === 0) return first
  const merged: RuleEntry[] = []
  let next = 0
  for (const entry of first) {
    while (next < second.length && second[next]!.rule.priority > entry.rule.priority) merged.push(second[next++]!)
    merged.push(entry)
  }
  while (next < second.length) merged.push(second[next++]!)
  return merged
}
