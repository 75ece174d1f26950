/** Patterns of other tools, which must match a whole value, in the syntax of RE2. */
import { sharedPattern } from 'svc/toolkit'
import { StepBudget } from 'svc/plugin'

const MAX_PATTERN = 1000
/** Constructs that RE2 does not have. */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/, 'look-around'],
  [/\(\?>/, 'an atomic group'],
  [/\\[1-9]|\\k</, 'a back-reference'],
  [/[*+?}]\+/, 'a possessive quantifier'],
]

export type Pattern = { matches: string } | { problem: string }

/** The pattern for the whole value, where a dot stands for line ends, too. With the position of what is not supported. */
export function wholePattern(source: string): Pattern {
  return pattern(source, `^(?s:${source})$`)
}

/** The pattern for a part of the value. */
export function partPattern(source: string): Pattern {
  return pattern(source, source)
}

function pattern(source: string, written: string): Pattern {
  if (written.length > MAX_PATTERN) return { problem: `the pattern has more than ${MAX_PATTERN} characters` }
  if (sharedPattern(written, StepBudget.unlimited()) !== undefined) return { matches: written }
  for (const [construct, name] of UNSUPPORTED) {
    const found = construct.exec(source)
    if (found !== null)
      return { problem: `the pattern has ${name} at character ${found.index + 1}, which RE2 does not support` }
  }
  return { problem: 'the pattern is not valid in the syntax of RE2' }
}

/** The text as a pattern that matches it alone. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}

/** The text as a literal path of a rule. */
export function literalPath(path: string): string {
  return path.replaceAll(/[{}*?#]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
