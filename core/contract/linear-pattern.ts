/** Regular expressions that run in linear time (RE2), for patterns that do not come from the operator. */
import { RE2JS } from 're2js'

export interface LinearPattern {
  test(text: string): boolean
}

/** Maximum number of instructions of a pattern: each can cost a step for each character of the text. */
const MAX_PROGRAM = 2000

/**
 * Compiles a pattern; undefined if RE2 does not support it (look-around, back-references, huge repetitions). `ecma262`
 * converts the syntax of JavaScript first, for example `\u0041`. Default: RE2.
 */
export function linearPattern(
  source: string,
  { syntax = 're2' }: { syntax?: 're2' | 'ecma262' } = {},
): LinearPattern | undefined {
  if (source.length > 4096) return undefined
  try {
    const compiled = RE2JS.compile(syntax === 're2' ? source : RE2JS.translateRegExp(source))
    if (syntax === 're2' && compiled.programSize() > MAX_PROGRAM) return undefined
    return { test: text => compiled.test(text) }
  } catch {
    return undefined
  }
}
