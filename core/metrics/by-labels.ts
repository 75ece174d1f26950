/** Finds what is counted for a combination of labels, without the hashing of the metrics library. */

/** Maps the values of one label to those of the next; the last label maps to what is counted. */
type Level<T> = Map<string | number | undefined, Level<T> | { counted: T }>

export type Labels = Record<string, string | number>

export class ByLabels<T> {
  readonly #names: readonly string[]
  readonly #root: Level<T> = new Map()
  readonly #all: { labels: Labels; counted: T }[] = []

  constructor(names: readonly string[]) {
    this.#names = names.length > 0 ? names : ['']
  }

  find(labels: Labels): T | undefined {
    let found: Level<T> | { counted: T } | undefined = this.#root
    for (const name of this.#names) {
      found = (found as Level<T>).get(labels[name])
      if (found === undefined) return undefined
    }
    return (found as { counted: T }).counted
  }

  /** The combination must be new. */
  add(labels: Labels, counted: T): T {
    this.#all.push({ labels: { ...labels }, counted })
    let level = this.#root
    for (const name of this.#names.slice(0, -1)) {
      const next = (level.get(labels[name]) as Level<T> | undefined) ?? (new Map<never, never>() as Level<T>)
      level.set(labels[name], next)
      level = next
    }
    level.set(labels[this.#names.at(-1)!], { counted })
    return counted
  }

  get size(): number {
    return this.#all.length
  }

  all(): readonly { labels: Labels; counted: T }[] {
    return this.#all
  }
}
