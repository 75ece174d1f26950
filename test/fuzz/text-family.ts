/** Families whose input is one text or some bytes, for functions that are called as they are. */
import type { Family, Finding } from './engine.ts'
import { mutateBytes, mutateText } from './mutate.ts'

/** Cases of a function in a run for every day: they cost microseconds. */
const SLICE = 1500

export function textFamily(
  name: string,
  seeds: readonly string[],
  run: (text: string) => Finding | Promise<Finding>,
  { words = [], slice = SLICE }: { words?: readonly string[]; slice?: number } = {},
): Family<string> {
  return {
    name,
    seeds,
    slice,
    run: text => refusing(() => run(text)),
    mutate: (random, seed) => mutateText(random, seed, words, random.pick(seeds)),
  }
}

export function bytesFamily(
  name: string,
  seeds: readonly Buffer[],
  run: (bytes: Buffer) => Finding | Promise<Finding>,
  { words = [], slice = SLICE }: { words?: readonly string[]; slice?: number } = {},
): Family<Buffer> {
  return {
    name,
    seeds,
    slice,
    run: bytes => refusing(() => run(bytes)),
    mutate: (random, seed) => mutateBytes(random, seed, words, random.pick(seeds)),
  }
}

/** Errors of these classes are nobody's refusal but a defect; refusals have classes or codes of their own. */
const DEFECTS = new Set<unknown>([Error, TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError])

/** Runs a parser that may refuse by throwing. */
export function refusing(run: () => Finding | Promise<Finding>): Finding | Promise<Finding> {
  try {
    const outcome = run()
    return outcome instanceof Promise ? outcome.catch(passRefusal) : outcome
  } catch (error) {
    return passRefusal(error)
  }
}

function passRefusal(error: unknown): null {
  const { constructor: type, code } = error as Error & { code?: unknown }
  if (DEFECTS.has(type) && code === undefined) throw error
  return null
}

/** A finding where a condition does not hold. */
export function unless(condition: boolean, finding: string): Finding {
  return condition ? null : finding
}
