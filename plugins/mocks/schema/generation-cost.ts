/** What generating a value may cost: bytes of the answer and steps of computation, both counted before they are spent. */
import { OutputBudget, StepBudget } from 'svc/plugin'
import type { Json } from '../document/json.ts'

/** What an answer may cost. */
export interface AnswerBudgets {
  readonly output: OutputBudget
  /** Steps for generating data. */
  readonly generation: StepBudget
  /** Steps for checking what was generated. */
  readonly checks: StepBudget
  /** Steps for writing it. */
  readonly writing: StepBudget
}

/** Steps of a generated value: its path is hashed, its schema is inspected. */
const VALUE_STEPS = 200

/** Characters of a path that are hashed in a step. */
const CHARACTERS_PER_STEP = 3

/** What one attempt to generate a value costs. Later attempts replace earlier ones, so each has all bytes of the answer. */
export class GenerationCost {
  readonly steps: StepBudget
  readonly #output: OutputBudget
  readonly #sizes: WeakMap<object, number>

  /** `sizes` remembers those of examples and constants of the document. */
  constructor({ output, generation }: AnswerBudgets, sizes: WeakMap<object, number>) {
    this.steps = generation
    this.#output = new OutputBudget(output.left)
    this.#sizes = sizes
  }

  get bytes(): number {
    return this.#output.used
  }

  /** Takes what a value costs apart from its content: brackets, commas, and the work at its location. */
  takeValue(path: string): void {
    this.steps.take(VALUE_STEPS + path.length / CHARACTERS_PER_STEP)
    this.#output.take(2)
  }

  /** Takes characters that will be part of the answer. */
  take(characters: number): void {
    this.#output.take(characters)
  }

  /** Takes a value of the document that becomes part of the answer. */
  takeGiven(value: Json): void {
    this.#output.take(this.sizeOf(value))
  }

  /** Characters of a value of the document as JSON. */
  sizeOf(value: Json): number {
    if (typeof value === 'string') return value.length + 2
    if (typeof value !== 'object' || value === null) return 8
    let size = this.#sizes.get(value)
    if (size === undefined) {
      size = JSON.stringify(value).length
      this.#sizes.set(value, size)
    }
    return size
  }
}
