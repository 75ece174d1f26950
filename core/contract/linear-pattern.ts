/** Regular expressions that run in linear time (RE2), for patterns that do not come from the operator. */
import { RE2JS } from 're2js'
import { BoundedMap } from '../collections/bounded-map.ts'

export interface LinearPattern {
  test(text: string): boolean
}

/** Maximum number of instructions of a pattern: each can cost a step for each character of the text. */
const MAX_PROGRAM = 2000
/** Compiled patterns that are kept. Compiling is repeatable, so it makes no difference which. */
const MAX_COMPILED = 32
/** A test with more steps may fill the pattern's automaton with several megabytes, which are released after it. */
const MAX_KEPT_STEPS = 100_000

/**
 * Compiles a pattern in the syntax of JavaScript; undefined if RE2 does not support it (look-around, back-references, huge
 * repetitions).
 */
export function linearPattern(source: string): LinearPattern | undefined {
  const compiled = source.length <= 4096 ? compile(RE2JS.translateRegExp(source)) : undefined
  return compiled && { test: text => compiled.test(text) }
}

/**
 * Checks a pattern in the syntax of RE2; undefined if it is invalid or too large. Such patterns may be many: they take no
 * memory between tests beyond that of a few.
 */
export function sharedPattern(source: string): LinearPattern | undefined {
  const compiled = compile(source)
  if (compiled === undefined || compiled.programSize() > MAX_PROGRAM) return undefined
  return {
    test(text) {
      let pattern = kept.get(source)
      if (pattern === undefined) kept.set(source, (pattern = RE2JS.compile(source)))
      const holds = pattern.test(text)
      if (text.length * pattern.programSize() > MAX_KEPT_STEPS) pattern.reset()
      return holds
    },
  }
}

/** A cache: results are the same without it. */
const kept = new BoundedMap<RE2JS>(MAX_COMPILED)

function compile(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source)
  } catch {
    return undefined
  }
}
