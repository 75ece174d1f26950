/**
 * Owns the order of things that come due. Most come in that order: where lives are of one length, what begins last ends
 * last. Those stand in a list, and cost the same however many there are; the others in an indexed binary heap, so that
 * leaving it early costs no scan.
 */
import { LinkedList, type Link } from './linked-list.ts'

/** Something that comes due. All members but the first belong to the queue while it is in there. */
export interface Deadline {
  /** Milliseconds on the clock of whoever owns the queue. Call `moved` after a change. */
  dueAt: number
  /** Index in the heap; `IN_LIST`; -1 when it is in no queue. */
  place: number
  /** The place in the list. */
  link: Link<Deadline> | null
}

const IN_LIST = Infinity

/** A queue by `dueAt`, earliest first. `add`, `remove` and `moved` take O(log n) at most, `first` takes O(1). */
export class DeadlineQueue<T extends Deadline> {
  readonly #list = new LinkedList<T>()
  readonly #heap: T[] = []

  get size(): number {
    return this.#list.size + this.#heap.length
  }

  /** What comes due next. */
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

  /** Takes an item out; one that is not in there is left alone. */
  remove(item: T): void {
    const { place, link } = item
    if (place < 0) return
    item.place = -1
    item.link = null
    if (link !== null) return this.#list.remove(link as Link<T>)
    const last = this.#heap.pop()
    if (last === undefined || last === item) return
    last.place = place
    this.#settle(last)
  }

  /** Puts an item whose `dueAt` has changed where it belongs now. */
  moved(item: T): void {
    if (item.link === null) return this.#settle(item)
    this.remove(item)
    this.add(item)
  }

  #settle(item: T): void {
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
