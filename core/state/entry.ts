/** What a store keeps in addition to a value: its size, its lifetime and its links in the orders of the store. */
import type { Deadline } from '../collections/deadline-queue.ts'
import type { LinkedList, Link } from '../collections/linked-list.ts'

export class Entry<T> implements Deadline {
  readonly key: string
  value: T
  bytes = 0
  readonly byAge: Link<Entry<T>>
  readonly byUse: Link<Entry<T>>
  /** The group, and the link in it. */
  group: string | null = null
  inGroup: Link<Entry<T>> | null = null
  /** Lifetime of this entry in milliseconds; undefined means the lifetime set by the bounds. */
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

  /** Appends the entry to both orders. */
  constructor(key: string, value: T, age: LinkedList<Entry<T>>, use: LinkedList<Entry<T>>) {
    this.key = key
    this.value = value
    this.byAge = age.push(this)
    this.byUse = use.push(this)
  }
}
