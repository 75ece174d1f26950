/** Values with `*`, which stands for any characters. */
import type { StepBudget } from 'svc/plugin'

export interface Wildcard {
  text: string
  /** Throws `TooExpensive` if the budget has too few steps. */
  matches(value: string, steps: StepBudget): boolean
}

/** Characters that a step compares. */
const COMPARED = 16

/** `text` contains at least one `*`. */
export function readWildcard(text: string): Wildcard {
  const [first = '', ...rest] = text.split('*')
  const last = rest.pop()!
  const inner = rest.filter(part => part !== '')
  // A search compares at most each character of the value with each one of the part.
  const cost = inner.reduce((sum, part) => sum + part.length, 1) / COMPARED
  return {
    text,
    matches(value, steps) {
      steps.take(1 + (first.length + last.length) / COMPARED)
      if (value.length < first.length + last.length) return false
      if (!value.startsWith(first) || !value.endsWith(last)) return false
      if (inner.length === 0) return true
      steps.take(value.length * cost)
      const end = value.length - last.length
      let start = first.length
      for (const part of inner) {
        const found = value.indexOf(part, start)
        if (found === -1 || found + part.length > end) return false
        start = found + part.length
      }
      return true
    },
  }
}
