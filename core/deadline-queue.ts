/** Owns the order of things that come due: an indexed binary heap, so that leaving it early costs no scan. */

/** Something that comes due. Both members belong to the queue while it is in there. */
export interface Deadline {
  /** Milliseconds on the clock of whoever owns the queue. Call `moved` after a change. */
  dueAt: number
  /** Index in the heap; -1 when it is in none. */
  place: number
}

/** A queue by `dueAt`, earliest first. `add`, `remove` and `moved` take O(log n), `first` takes O(1). */
export class DeadlineQueue<T extends Deadline> {
  readonly #heap: T[] = []

  get size(): number {
    return this.#heap.length
  }

  /** What comes due next. */
  get first(): T | undefined {
    return this.#heap[0]
  }

  add(item: T): void {
    this.#rise(item, this.#heap.length)
  }

  /** Takes an item out; one that is not in there is left alone. */
  remove(item: T): void {
    const place = item.place
    if (place < 0) return
    item.place = -1
    const last = this.#heap.pop()
    if (last === undefined || last === item) return
    last.place = place
    this.moved(last)
  }

  /** Puts an item whose `dueAt` has changed where it belongs now. */
  moved(item: T): void {
    const parent = this.#heap[(item.place - 1) >> 1]
    if (item.place > 0 && parent !== undefined && parent.dueAt > item.dueAt) this.#rise(item, item.place)
    else this.#sink(item, item.place)
  }

  #rise(item: T, from: number): void {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#heap[above]!
      if (parent.dueAt <= item.dueAt) break
      this.#put(parent, place)
      place = above
    }
    this.#put(item, place)
  }

  #sink(item: T, from: number): void {
    let place = from
    for (;;) {
      let below = 2 * place + 1
      let child = this.#heap[below]
      const right = this.#heap[below + 1]
      if (child === undefined) break
      if (right !== undefined && right.dueAt < child.dueAt) {
        below += 1
        child = right
      }
      if (child.dueAt >= item.dueAt) break
      this.#put(child, place)
      place = below
    }
    this.#put(item, place)
  }

  #put(item: T, place: number): void {
    this.#heap[place] = item
    item.place = place
  }
}
