/** All rules of the process: those stored over HTTP, by scope, and the counters of all. */
import { randomUUID } from 'node:crypto'
import { readOrProblem } from '../toolkit/input-problem.ts'
import type { Store, StoreBounds } from '../contract/plugin.ts'
import { StateUnavailable } from '../contract/state.ts'
import type { MatchSubject } from '../match/subject.ts'
import type { RuleBounds } from './bounds.ts'
import { countMatch, NO_COUNT, type RuleCount } from './counting.ts'
import { readRule, type Rule } from './rule.ts'
import { mergeByPriority, RuleList, type GenerationRules, type RuleEntry, type StoredRule } from './rule-entry.ts'
import { Scenarios } from './scenarios.ts'

/** The rules of one scope, newest first. Plain JSON. */
interface RuleSet {
  rules: StoredRule[]
}

/** The rules of a scope in one generation, and the rules of files among them. */
interface CompiledScope {
  files: readonly RuleEntry[]
  list: RuleList
}

/** The use of a session's rules is noted at most this often. */
const TOUCH_MS = 10_000
const INSTANCE = 'instance'
const MAX_COUNTERS = 50_000
/** Counters of the instance outlive those of sessions: a rule that was exhausted must not act again. */
const INSTANCE_COUNTER_MS = 30 * 86_400_000
const MIB = 1024 * 1024

/** A limit on the number of rules is reached. */
export class TooManyRules extends Error {
  readonly limit: number
  constructor(limit: number) {
    super('too many rules')
    this.limit = limit
  }
}

export interface RuleBookOptions {
  bounds: RuleBounds
  openStore<T>(name: string, bounds: StoreBounds<T>): Store<T>
  now?: () => number
}

/** Bounds of the store of the rules of sessions, by scope. */
export function sessionRuleStoreBounds({ allSessionRules, sessionIdleMs }: RuleBounds): StoreBounds<RuleSet> {
  return {
    maxCount: allSessionRules,
    maxBytes: 64 * MIB,
    ttlMs: sessionIdleMs,
    ttlFrom: 'use',
    evict: 'idle',
    watched: true,
  }
}

export class RuleBook {
  readonly bounds: RuleBounds
  readonly scenarios: Scenarios
  readonly #now: () => number
  readonly #instance: Store<RuleSet>
  readonly #sessions: Store<RuleSet>
  readonly #counts: Store<RuleCount>
  /** What the stores hold, in memory: every request needs it. Null is the instance. */
  readonly #sets = new Map<string | null, RuleSet>()
  readonly #usedAt = new Map<string, number>()
  /** By generation, then by what the stores hold of the scope, or else by its rules of files. */
  readonly #compiled = new WeakMap<GenerationRules, WeakMap<object, CompiledScope>>()

  constructor({ bounds, openStore, now = Date.now }: RuleBookOptions) {
    this.bounds = bounds
    this.scenarios = new Scenarios({ bounds, openStore })
    this.#now = now
    this.#instance = openStore<RuleSet>('rules', { maxCount: 1, watched: true })
    this.#sessions = openStore<RuleSet>('session-rules', sessionRuleStoreBounds(bounds))
    this.#counts = openStore<RuleCount>('rule-counts', {
      maxCount: MAX_COUNTERS,
      ttlMs: bounds.sessionIdleMs,
      ttlFrom: 'use',
      evict: 'idle',
    })
    this.#follow(this.#instance, () => null)
    this.#follow(this.#sessions, key => key)
  }

  /** Reads what the stores hold. Call it once, before requests are served. While they are unavailable, there are no rules. */
  async open(): Promise<void> {
    try {
      const [instance, sessions] = await Promise.all([this.#instance.peek(INSTANCE), this.#sessions.list()])
      const stored = new Map<string | null, RuleSet>(sessions.map(({ key, value }) => [key, value]))
      if (instance !== undefined) stored.set(null, instance)
      for (const scope of this.#sets.keys()) if (!stored.has(scope)) this.#mirror(scope, undefined)
      for (const [scope, set] of stored) this.#mirror(scope, set)
    } catch (error) {
      // They are read when the store is back, which resets the subscriptions.
      if (!(error instanceof StateUnavailable)) throw error
    }
  }

  #follow(store: Store<RuleSet>, scopeOf: (key: string) => string | null): void {
    store.subscribe(change => {
      if (change.kind === 'reset') void this.open()
      else this.#mirror(scopeOf(change.key), change.kind === 'set' ? change.value : undefined)
    })
  }

  #mirror(session: string | null, set: RuleSet | undefined): void {
    if (set !== undefined && set.rules.length > 0) {
      this.#sets.set(session, set)
      if (session !== null && !this.#usedAt.has(session)) this.#usedAt.set(session, this.#now())
      return
    }
    this.#sets.delete(session)
    if (session !== null) this.#usedAt.delete(session)
  }

  // ------------------------------------------------------------------------------------------------------- requests

  /** Whether there is any rule. Without one, requests pass at no cost. */
  hasRules(generation: GenerationRules): boolean {
    return this.#sets.size > 0 || !generation.isEmpty
  }

  /** Whether a rule's path can fit the request, judged by the first segment of its targets: as received, and as served. */
  mayFit(generation: GenerationRules, urls: readonly string[], session: () => string | null): boolean {
    const fits = (name: string | null): boolean => urls.some(url => this.list(generation, name).index.mayFit(url))
    if (fits(null)) return true
    const hasSessions = this.#sets.size > (this.#sets.has(null) ? 1 : 0) || generation.hasSessions
    if (!hasSessions) return false
    const name = session()
    return name !== null && fits(name)
  }

  /** The rules whose method and path can fit the request, in the order of evaluation. */
  candidates(generation: GenerationRules, subject: MatchSubject): readonly RuleEntry[] {
    const { session } = subject.facts
    const method = subject.method.toUpperCase()
    const { servedSegments } = subject
    const ofInstance = this.list(generation, null).index.candidates(method, subject.segments, servedSegments)
    if (session === null) return ofInstance
    const list = this.list(generation, session)
    if (list.entries.length === 0) return ofInstance
    this.#touch(session)
    return mergeByPriority(list.index.candidates(method, subject.segments, servedSegments), ofInstance)
  }

  /**
   * Counts a request that meets the conditions of a rule, atomically. Returns the number of the hit, from 0, or null if
   * the rule does not act on it.
   */
  async count(entry: RuleEntry, session: string | null): Promise<number | null> {
    const now = this.#now()
    const isShared = !entry.rule.countsPerSession
    const count = await this.#counts.update(
      counterKey(entry, session),
      (before = NO_COUNT) => countMatch(entry.rule, before, now),
      { group: entry.id, ...(isShared ? { ttlMs: INSTANCE_COUNTER_MS } : {}) },
    )
    return count?.acted === true ? count.hits - 1 : null
  }

  /** Takes back a hit that did not act, because another request changed a scenario first. */
  async uncount(entry: RuleEntry, session: string | null): Promise<void> {
    await this.#counts.update(
      counterKey(entry, session),
      count => count && { ...count, matches: Math.max(0, count.matches - 1), hits: Math.max(0, count.hits - 1) },
      { group: entry.id },
    )
  }

  isInForce({ rule, expiresAt }: RuleEntry): boolean {
    return rule.isEnabled && (expiresAt === null || expiresAt > this.#now())
  }

  /** Keeps the rules of a session that is in use. */
  #touch(session: string): void {
    const now = this.#now()
    const before = this.#usedAt.get(session)
    if (before === undefined || now - before < TOUCH_MS) return
    this.#usedAt.set(session, now)
    this.#sessions.get(session).catch(() => undefined)
  }

  // ----------------------------------------------------------------------------------------------------------- lists

  /** The rules of a scope, in the order of evaluation. */
  list(generation: GenerationRules, session: string | null): RuleList {
    const set = this.#sets.get(session)
    const files = generation.ofSession(session)
    if (set === undefined && files.length === 0) return NO_RULES
    const scopes = this.#scopesOf(generation)
    const known = scopes.get(set ?? files)
    if (known !== undefined && known.files === files) return known.list
    const list = new RuleList([
      ...(set?.rules ?? []).flatMap(stored => this.#compile(stored, session, generation)),
      ...files,
    ])
    scopes.set(set ?? files, { files, list })
    return list
  }

  #scopesOf(generation: GenerationRules): WeakMap<object, CompiledScope> {
    let scopes = this.#compiled.get(generation)
    if (scopes === undefined) this.#compiled.set(generation, (scopes = new WeakMap()))
    return scopes
  }

  /** A rule may use a protocol of a plugin that is no longer enabled: it is not in force then. */
  #compile(stored: StoredRule, session: string | null, { vocabulary }: GenerationRules): RuleEntry[] {
    const options = { ...vocabulary, bounds: this.bounds, checks: null }
    const read = readOrProblem(() => readRule(stored.rule, '', options))
    if ('problem' in read) return []
    const { id, createdAt, expiresAt } = stored
    return [
      {
        id,
        createdAt,
        expiresAt,
        rule: read.value,
        match: read.value.match,
        session,
        source: 'api',
        file: null,
        line: null,
      },
    ]
  }

  /** The rule of this name that was stored over HTTP. */
  stored(name: string, session: string | null): StoredRule | undefined {
    return this.#sets.get(session)?.rules.find(({ rule, expiresAt }) => rule.name === name && !this.#isOver(expiresAt))
  }

  /** The counters of a rule: the sum, and those of one session. */
  async countsOf(entry: RuleEntry, session: string | null): Promise<{ sum: RuleCount; own: RuleCount }> {
    const all = await this.#counts.list({ group: entry.id })
    const key = counterKey(entry, session)
    const sum = all.reduce<RuleCount>(
      (total, { value }) => ({
        matches: total.matches + value.matches,
        hits: total.hits + value.hits,
        lastHitAt: laterOf(total.lastHitAt, value.lastHitAt),
        acted: false,
      }),
      NO_COUNT,
    )
    return { sum, own: all.find(count => count.key === key)?.value ?? NO_COUNT }
  }

  // --------------------------------------------------------------------------------------------------------- changes

  /**
   * Stores rules, all or none; a rule of the same name is replaced and its counters are reset, unless `keepsCounters`.
   * Throws `TooManyRules`. Returns the ids.
   */
  async put(
    rules: readonly Rule[],
    session: string | null,
    { keepsCounters = false } = {},
  ): Promise<{ replaced: StoredRule[] }> {
    const now = this.#now()
    const names = new Set(rules.map(({ name }) => name))
    const before = (this.#sets.get(session)?.rules ?? []).filter(({ rule }) => names.has(String(rule.name)))
    const added = rules
      .map((rule): StoredRule => {
        const known = keepsCounters ? before.find(stored => stored.rule.name === rule.name) : undefined
        return {
          id: known?.id ?? randomUUID(),
          rule: rule.asJson,
          createdAt: known?.createdAt ?? now,
          expiresAt: rule.expiresInSecs === null ? null : now + rule.expiresInSecs * 1000,
        }
      })
      .toReversed()
    const limit = session === null ? this.bounds.instanceRules : this.bounds.sessionRules
    const [store, key] = this.#placeOf(session)
    const after = await store.update(key, (current = { rules: [] }) => {
      const kept = current.rules.filter(
        ({ rule, expiresAt }) => !names.has(String(rule.name)) && (expiresAt === null || expiresAt > now),
      )
      return kept.length + added.length > limit ? current : { rules: [...added, ...kept] }
    })
    if (after !== undefined) this.#mirror(session, after)
    const isStored = added.every(({ id, rule }) =>
      after?.rules.some(stored => stored.id === id && stored.rule.name === rule.name),
    )
    if (!isStored || !this.#sets.has(session)) throw new TooManyRules(limit)
    if (!keepsCounters) await this.#forgetCounts(before)
    if (session !== null) await this.#evictIdle(session)
    return { replaced: before }
  }

  /** Removes one rule that was stored over HTTP, or all of a scope. Returns their number. */
  async remove(session: string | null, name?: string): Promise<number> {
    const [store, key] = this.#placeOf(session)
    const gone = (this.#sets.get(session)?.rules ?? []).filter(({ rule }) => name === undefined || rule.name === name)
    const ids = new Set(gone.map(({ id }) => id))
    const after = await store.update(key, current => {
      const rules = (current?.rules ?? []).filter(({ id }) => !ids.has(id))
      return rules.length === 0 ? undefined : { rules }
    })
    this.#mirror(session, after)
    await this.#forgetCounts(gone)
    return gone.filter(({ expiresAt }) => !this.#isOver(expiresAt)).length
  }

  /** Removes the rules of a scope, or of all scopes, and resets the counters of the other rules. */
  async reset(scope: { session: string } | 'all'): Promise<number> {
    if (scope !== 'all') {
      const removed = (await this.remove(scope.session)) + (await this.scenarios.reset(scope))
      await this.#counts.clear((_count, key) => key.endsWith(`\n${scope.session}`))
      return removed
    }
    const removed = [...this.#sets.values()].reduce((sum, { rules }) => sum + rules.length, 0)
    await this.#instance.clear()
    await this.#sessions.clear()
    await this.#counts.clear()
    return removed + (await this.scenarios.reset('all'))
  }

  #placeOf(session: string | null): [Store<RuleSet>, string] {
    return session === null ? [this.#instance, INSTANCE] : [this.#sessions, session]
  }

  #isOver(expiresAt: number | null): boolean {
    return expiresAt !== null && expiresAt <= this.#now()
  }

  async #forgetCounts(rules: readonly StoredRule[]): Promise<void> {
    for (const { id } of rules)
      for (const { key } of await this.#counts.list({ group: id })) await this.#counts.delete(key)
  }

  /** While there are too many rules of sessions, those of the session idle longest go. */
  async #evictIdle(keep: string): Promise<void> {
    const { allSessionRules } = this.bounds
    const sizes = [...this.#sets].flatMap(([session, { rules }]) =>
      session === null ? [] : [{ session, size: rules.length }],
    )
    let total = sizes.reduce((sum, { size }) => sum + size, 0)
    if (total <= allSessionRules) return
    const idleFirst = sizes
      .filter(({ session }) => session !== keep)
      .sort((one, other) => (this.#usedAt.get(one.session) ?? 0) - (this.#usedAt.get(other.session) ?? 0))
    for (const { session, size } of idleFirst) {
      if (total <= allSessionRules) return
      await this.remove(session)
      total -= size
    }
  }
}

const NO_RULES = new RuleList([])

/** The session is the last line, since neither ids nor names of sessions have line breaks. */
function counterKey({ id, rule }: RuleEntry, session: string | null): string {
  return `${id}\n${rule.countsPerSession ? (session ?? '') : ''}`
}

function laterOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}
