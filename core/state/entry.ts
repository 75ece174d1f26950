/** What a store keeps in addition to a value: its size, its lifetime and its links in the orders of the store. */
import type { Deadline } from '../collections/deadline-queue.ts'
import type { LinkedList, Link } from '../collections/linked-list.ts'
import type { AgeLink, AgeOrder } from './age-order.ts'

export class Entry<T> implements Deadline {
  readonly key: string
  value: T
  bytes = 0
  byAge: AgeLink<Entry<T>>
  readonly byUse: Link<Entry<T>>
  /** The group, and the link in it. */
  group: string | null = null
  inGroup: AgeLink<Entry<T>> | null = null
  /** Its lifetime in milliseconds; undefined: that of the bounds. */
  ttlMs: number | undefined = undefined
  /** Start of the lifetime. */
  since = 0
  expiresAt = Infinity
  /**
   * May be earlier than `expiresAt`: a use only changes `expiresAt`, and the queue is updated when the entry reaches
   * its front.
   */
  dueAt = Infinity
  place = -1
  link: Link<Deadline> | null = null

  /** Takes the last place in both orders. */
  constructor(key: string, value: T, isSpare: boolean, age: AgeOrder<Entry<T>>, use: LinkedList<Entry<T>>) {
    this.key = key
    this.value = value
    this.byAge = age.push(this, isSpare)
    this.byUse = use.push(this)
  }
}
