/**
 * A queue ordered by deadline. Most items arrive in that order, because items with the same lifetime expire in the
 * order of arrival. These are kept in a linked list at constant cost. The others are in an indexed binary heap, so that
 * removing one early needs no scan.
 */
import { LinkedList, type Link } from './linked-list.ts'

/** An item with a deadline. All members except the first belong to the queue while the item is in it. */
export interface Deadline {
  /** Milliseconds on the clock of the owner of the queue. Call `moved` after a change. */
  dueAt: number
  /** Index in the heap, `IN_LIST`, or -1 if it is not in a queue. */
  place: number
  /** The link in the list. */
  link: Link<Deadline> | null
}

const IN_LIST = Infinity

/** A queue by `dueAt`, earliest first. `add`, `remove` and `moved` take at most O(log n), `first` takes O(1). */
export class DeadlineQueue<T extends Deadline> {
  readonly #list = new LinkedList<T>()
  readonly #heap: T[] = []

  get size(): number {
    return this.#list.size + this.#heap.length
  }

  /** The item with the earliest deadline. */
  get first(): T | undefined {
    const listed = this.#list.first?.value
    const heaped = this.#heap[0]
    if (listed === undefined || heaped === undefined) return listed ?? heaped
    return listed.dueAt <= heaped.dueAt ? listed : heaped
  }

  add(item: T): void {
    const { last } = this.#list
    if (last !== null && last.value.dueAt > item.dueAt) return this.#rise(item, this.#heap.length)
    item.place = IN_LIST
    item.link = this.#list.push(item)
  }

  /** Removes an item; does nothing if it is not in the queue. */
  remove(item: T): void {
    const { place, link } = item
    if (place < 0) return
    item.place = -1
    item.link = null
    if (link !== null) return this.#list.remove(link as Link<T>)
    const last = this.#heap.pop()
    if (last === undefined || last === item) return
    last.place = place
    this.#reposition(last)
  }

  /** Moves an item to its new position after `dueAt` changed. */
  moved(item: T): void {
    if (item.link === null) return this.#reposition(item)
    this.remove(item)
    this.add(item)
  }

  #reposition(item: T): void {
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
