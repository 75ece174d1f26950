/** Keeps the reflection services of the last descriptor sets, because reading all files takes a tenth of a second. */
import { createReflection, type Reflection } from './service.ts'

export class ReflectionCache {
  #descriptorSets: readonly Buffer[] = []
  #reflections: Reflection[] = []

  of(descriptorSets: readonly Buffer[]): Reflection[] {
    const isKnown =
      descriptorSets.length === this.#descriptorSets.length &&
      descriptorSets.every((set, index) => set.equals(this.#descriptorSets[index]!))
    if (!isKnown) {
      this.#reflections = createReflection(descriptorSets)
      this.#descriptorSets = descriptorSets
    }
    return this.#reflections
  }
}
