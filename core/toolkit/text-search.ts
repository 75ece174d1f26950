/** Searches a part in texts. What it costs is bounded for every text and part, unlike that of `String.includes`. */
import type { StepBudget } from '../contract/budgets.ts'

/** Characters that a step compares. */
const COMPARED = 4
/** Characters that a step looks through for a single one. */
const SCANNED = 20
const TABLE = 256

export class TextSearch {
  readonly #part: string
  /** By the last character of a place in the text: how far the next place is that can hold the part (Horspool). */
  readonly #shifts: Uint16Array
  /** Made when a text turns out to resemble the part (Knuth, Morris, Pratt). */
  #borders: Int32Array | null = null

  constructor(part: string) {
    this.#part = part
    const last = part.length - 1
    this.#shifts = new Uint16Array(TABLE).fill(Math.min(part.length, 65_535))
    for (let index = 0; index < last; index++)
      this.#shifts[part.charCodeAt(index) % TABLE] = Math.min(last - index, 65_535)
  }

  /** Throws `TooExpensive` if the budget has too few steps. */
  isIn(text: string, steps: StepBudget): boolean {
    steps.take(1 + text.length / SCANNED)
    if (this.#part.length < 2) return text.includes(this.#part)
    const part = this.#part
    const last = part.length - 1
    let compared = 0
    let start = 0
    let isFound = false
    while (start + last < text.length && compared <= text.length) {
      let index = last
      while (index >= 0 && text.charCodeAt(start + index) === part.charCodeAt(index)) index--
      if (index < 0) {
        isFound = true
        break
      }
      compared += last - index + 1
      start += this.#shifts[text.charCodeAt(start + last) % TABLE]!
    }
    steps.take(compared / COMPARED)
    return isFound || (start + last < text.length && this.#isFrom(start, text, steps))
  }

  #isFrom(start: number, text: string, steps: StepBudget): boolean {
    steps.take(((text.length - start) * 2 + this.#part.length) / COMPARED)
    const part = this.#part
    const borders = (this.#borders ??= bordersOf(part))
    let matched = 0
    for (let index = start; index < text.length; index++) {
      const code = text.charCodeAt(index)
      while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1]!
      if (part.charCodeAt(matched) === code) matched++
      if (matched === part.length) return true
    }
    return false
  }
}

/** For each beginning of the part: the length of its longest beginning that is also its end. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length)
  let length = 0
  for (let index = 1; index < part.length; index++) {
    while (length > 0 && part.charCodeAt(index) !== part.charCodeAt(length)) length = borders[length - 1]!
    if (part.charCodeAt(index) === part.charCodeAt(length)) length++
    borders[index] = length
  }
  return borders
}
