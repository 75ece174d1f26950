/** The older spelling of the rules of a provider, and its translation into the language of rules. */
import { StepBudget, type Json, type JsonObject } from 'svc/plugin'
import { linearPattern, toRe2Syntax } from 'svc/toolkit'

/** All keys must match. */
export interface OlderMatch {
  /** The last user text contains this, or an item of the list, in any case. */
  contains?: string | string[]
  /**
   * A regular expression for the last user text, in any case, in the syntax of JavaScript without look-around and
   * back-references.
   */
  regex?: string
  /** The model name, or a prefix followed by `*`. */
  model?: string
  /** A system text contains this. */
  system?: string
}

/** Tests of one `any`. */
const MAX_ALTERNATIVES = 20

/** Conditions of `match.llm`. Throws a SyntaxError for an invalid regular expression. */
export function translateMatch({ contains, regex, model, system }: OlderMatch): JsonObject {
  const user: JsonObject = {
    ...(contains === undefined ? {} : containing([contains].flat())),
    ...(regex === undefined ? {} : { matches: patternOf(regex) }),
  }
  return {
    ...(Object.keys(user).length === 0 ? {} : { user: { ...user, ignore_case: true } }),
    ...(model === undefined ? {} : { model }),
    ...(system === undefined ? {} : { system: { contains: system } }),
  }
}

function containing(texts: readonly string[]): JsonObject {
  const tests = texts.map((text): Json => ({ contains: text }))
  if (tests.length === 1) return tests[0] as JsonObject
  if (tests.length <= MAX_ALTERNATIVES) return { any: tests }
  const groups = Array.from({ length: Math.ceil(tests.length / MAX_ALTERNATIVES) }, (_, index) => ({
    any: tests.slice(index * MAX_ALTERNATIVES, (index + 1) * MAX_ALTERNATIVES),
  }))
  return { any: groups }
}

/** The pattern comes from the operator, but the text from a client: a backtracking engine could take forever. */
function patternOf(regex: string): string {
  if (linearPattern(regex, StepBudget.unlimited(), { ignoresCase: true }) !== undefined) return toRe2Syntax(regex)
  // Throws a SyntaxError that says what is wrong.
  new RegExp(regex, 'iu')
  throw new SyntaxError(
    `Invalid regular expression: ${regex.slice(0, 200)}: look-around and back-references are not supported`,
  )
}
