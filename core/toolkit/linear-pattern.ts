/** Regular expressions that run in linear time (RE2), for patterns and texts that are not trusted. */
import { RE2JS } from 're2js'
import type { StepBudget } from '../contract/budgets.ts'
import { costOfPattern } from './pattern-cost.ts'

export interface LinearPattern {
  /** Whether the text contains a match. Throws `TooExpensive` if the budget has too few steps. */
  test(text: string, steps: StepBudget): boolean
  /** The texts of the named groups of the first match; empty without one. Throws `TooExpensive` like `test`. */
  groups(text: string, steps: StepBudget): ReadonlyMap<string, string>
}

export interface PatternOptions {
  ignoresCase?: boolean
}

/** A pattern in the syntax of JavaScript in that of RE2. What RE2 does not support stays as it is. */
export function toRe2Syntax(source: string): string {
  return RE2JS.translateRegExp(source)
}

/** Maximum number of instructions of a pattern, of conditions and of documents. */
const MAX_PROGRAM = 2000
const MAX_DOCUMENT_PROGRAM = 10_000
const MAX_DOCUMENT_PATTERN = 4096
/** The estimate is an upper bound: patterns that simplify well are smaller. */
const ESTIMATE_FACTOR = 3

/** Steps of a test. */
const TEST = 20
/** Steps for each character of its text while the automaton of the pattern is small, and for a pattern that needs none. */
const CHARACTER = 1
const ONE_PASS_CHARACTER = 5
/** Steps for each instruction and character once it is not. */
const INSTRUCTION = 4
/** Steps for each byte by which the automaton grows. */
const GROWTH = 3
/** Bytes of an automaton: a pattern that needs more is run without one. */
const MAX_AUTOMATON = 65_536
/** Above this number of ranges, building the automaton would take too long. */
const MAX_RANGES = 2000

/** Instructions of all compiled patterns that are kept; each takes about 200 bytes. */
const MAX_KEPT = 150_000
/** An automaton takes as much memory as these instructions. */
const AUTOMATON_SIZE = 300

/**
 * Compiles a pattern in the syntax of JavaScript; undefined if RE2 does not support it (look-around, back-references, huge
 * repetitions). Throws `TooExpensive` if the budget has too few steps for it.
 */
export function linearPattern(
  source: string,
  steps: StepBudget,
  { ignoresCase = false }: PatternOptions = {},
): LinearPattern | undefined {
  if (source.length > MAX_DOCUMENT_PATTERN) return undefined
  const translated = toRe2Syntax(source)
  return checked(ignoresCase ? `(?i:${translated})` : translated, MAX_DOCUMENT_PROGRAM, steps)
}

/**
 * Checks a pattern in the syntax of RE2; undefined if it is invalid or too large: `isLarge` allows more. Throws `TooExpensive` if the budget has too
 * few steps for it.
 */
export function sharedPattern(
  source: string,
  steps: StepBudget,
  { ignoresCase = false, isLarge = false }: PatternOptions & { isLarge?: boolean } = {},
): LinearPattern | undefined {
  if (source.length > MAX_DOCUMENT_PATTERN) return undefined
  const maxProgram = isLarge ? MAX_DOCUMENT_PROGRAM : MAX_PROGRAM
  if (!ignoresCase) return checked(source, maxProgram, steps)
  // A pattern such as `a)(b` is valid only inside the group that is added.
  return checked(source, maxProgram, steps) && checked(`(?i:${source})`, maxProgram, steps)
}

/** A pattern that was checked when it was stored: it is compiled when it is needed. */
export function storedPattern(source: string, { ignoresCase = false }: PatternOptions = {}): LinearPattern {
  return patternOf(ignoresCase ? `(?i:${source})` : source)
}

function checked(source: string, maxProgram: number, steps: StepBudget): LinearPattern | undefined {
  const compiled = compile(source, maxProgram, steps)
  return compiled === undefined || compiled.size > maxProgram ? undefined : patternOf(source)
}

/** Patterns may be many: only some are kept compiled, and the others take no memory between tests. */
function patternOf(source: string): LinearPattern {
  const needed = (steps: StepBudget): CompiledPattern | undefined => compile(source, MAX_DOCUMENT_PROGRAM, steps)
  return {
    test: (text, steps) => needed(steps)?.test(text, steps) ?? false,
    groups: (text, steps) => needed(steps)?.groups(text, steps) ?? NO_GROUPS,
  }
}

function compile(source: string, maxProgram: number, steps: StepBudget): CompiledPattern | undefined {
  const known = kept.get(source)
  if (known !== undefined) return known
  const cost = costOfPattern(source)
  if (cost.size > maxProgram * ESTIMATE_FACTOR) return undefined
  steps.take(cost.steps)
  let compiled: CompiledPattern
  try {
    compiled = new CompiledPattern(source)
  } catch {
    return undefined
  }
  kept.set(source, compiled)
  return compiled
}

/** The members of RE2JS that bound what a test costs. */
interface Engine {
  readonly prog: { readonly inst: readonly { readonly runes?: readonly number[] }[] }
  prefix: string
  prefixComplete: boolean
  prefilter: unknown
  /** For anchored patterns that never have a choice. */
  readonly onepass: unknown
  readonly dfa: Automaton
  lazyDFA: Pick<Automaton, 'match'> | null
}
interface Automaton {
  /** Null if it cannot tell: then the instructions are run one by one. */
  match(...input: unknown[]): boolean | null
  step(...input: unknown[]): unknown
  stepOrReset(...input: unknown[]): unknown
  stateBudget: number
  memBudget: number
}

/**
 * A pattern is run by an automaton whose states are made when they are needed: a character then costs the same for every
 * pattern. A pattern that needs many states is run without it, which costs its size for each character.
 */
class CompiledPattern {
  readonly size: number
  readonly #pattern: RE2JS
  readonly #characterSteps: number
  #automaton: Automaton | null
  #steps: StepBudget | null = null
  #text = ''

  constructor(source: string) {
    this.#pattern = RE2JS.compile(source)
    this.size = this.#pattern.programSize()
    const engine = this.#pattern.re2() as unknown as Engine
    // Searching for literal parts of a pattern first is faster for most texts, but has no bound for others.
    engine.prefilter = null
    engine.prefix = ''
    engine.prefixComplete = false
    this.#characterSteps = engine.onepass === null ? CHARACTER : ONE_PASS_CHARACTER
    this.#automaton = createAutomaton(engine)
    engine.lazyDFA = { match: (...input) => this.#match(input) }
  }

  test(text: string, steps: StepBudget): boolean {
    steps.take(TEST + text.length * this.#characterSteps)
    this.#steps = steps
    this.#text = text
    try {
      return this.#pattern.test(text)
    } finally {
      this.#steps = null
      this.#text = ''
    }
  }

  groups(text: string, steps: StepBudget): ReadonlyMap<string, string> {
    const names = Object.keys(this.#pattern.namedGroups())
    if (names.length === 0) return NO_GROUPS
    // Groups are found without the automaton: each instruction runs for each character.
    steps.take(TEST + text.length * this.size * INSTRUCTION)
    this.#steps = steps
    this.#text = text
    try {
      const matcher = this.#pattern.matcher(text)
      if (!matcher.find()) return NO_GROUPS
      return new Map(names.flatMap(name => asEntry(name, matcher.group(name))))
    } finally {
      this.#steps = null
      this.#text = ''
    }
  }

  #match(input: unknown[]): boolean | null {
    const steps = this.#steps!
    const automaton = this.#automaton
    if (automaton !== null) {
      const before = automaton.memBudget
      const result = automaton.match(...input)
      // It grows by a bounded size in the life of the pattern, so it can be paid for afterwards.
      if (result === null) this.#automaton = null
      steps.take(Math.max(0, before - automaton.memBudget) * GROWTH)
      if (result !== null) return result
    }
    steps.take(this.#text.length * this.size * INSTRUCTION)
    return null
  }
}

function asEntry(name: string, text: string | null): [string, string][] {
  return text === null ? [] : [[name, text]]
}

function createAutomaton(engine: Engine): Automaton | null {
  let ranges = 0
  for (const { runes } of engine.prog.inst) ranges += runes?.length ?? 0
  if (ranges > MAX_RANGES) return null
  const automaton = engine.dfa
  automaton.stateBudget = automaton.memBudget = MAX_AUTOMATON
  // It would empty itself and go on: there would be no bound for what a text takes.
  automaton.stepOrReset = (...input) => automaton.step(...input)
  return automaton
}

/** Compiled patterns, those not used for longest evicted first. It is a cache: results are the same without it. */
class PatternCache {
  readonly #patterns = new Map<string, CompiledPattern>()
  #size = 0

  get(source: string): CompiledPattern | undefined {
    const found = this.#patterns.get(source)
    if (found === undefined) return undefined
    this.#patterns.delete(source)
    this.#patterns.set(source, found)
    return found
  }

  set(source: string, pattern: CompiledPattern): void {
    this.#patterns.set(source, pattern)
    this.#size += pattern.size + AUTOMATON_SIZE
    for (const [oldest, { size }] of this.#patterns) {
      if (this.#size <= MAX_KEPT) return
      this.#patterns.delete(oldest)
      this.#size -= size + AUTOMATON_SIZE
    }
  }
}

const kept = new PatternCache()
const NO_GROUPS: ReadonlyMap<string, string> = new Map()
