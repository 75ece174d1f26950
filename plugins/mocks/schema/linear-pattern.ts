/** Regular expressions that run in linear time (RE2), because patterns in documents and rules are untrusted. */
import { RE2JS } from 're2js'

export interface LinearPattern {
  test(text: string): boolean
}

/**
 * Compiles an ECMA-262 pattern; undefined if RE2 does not support it (look-around, back-references, huge repetitions).
 */
export function linearPattern(source: string): LinearPattern | undefined {
  if (source.length > 4096) return undefined
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source))
    return { test: text => compiled.test(text) }
  } catch {
    return undefined
  }
}
