/** Families with one text or a sequence of bytes as input, for functions that are called directly. */
import type { Family, Finding } from './engine.ts'
import { mutateBytes, mutateText } from './mutate.ts'

/** Cases per function in a short run; they take microseconds. */
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

/** Errors of these classes are defects; rejections have their own classes or codes. */
const DEFECTS = new Set<unknown>([Error, TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError])

/** Runs a parser that may reject input by throwing. */
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
