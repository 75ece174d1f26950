/**
 * A segment: entries of one stream that were appended together and are stored as one text, such as
 * `7 120,-,96⏎[{…},null,{…}]`. The head has the number of the first entry and the size of each; removed ones have `-`.
 */
import type { LoggedEvent } from '../../core/contract/plugin.ts'
import type { ValueCodec } from './value-codec.ts'

const REMOVED = '-'

export interface Segment<T> {
  first: number
  last: number
  sizes: readonly string[]
  /** All values; of removed entries null. */
  values: readonly T[]
}

/** `entry` is authenticated with an encrypted text. Undefined for a text that can't be decrypted. */
export function readSegment<T>(text: string, codec: ValueCodec, entry: string): Segment<T> | undefined {
  const end = text.indexOf('\n')
  const space = text.indexOf(' ')
  const values = codec.decode(text.slice(end + 1), entry) as T[] | undefined
  if (values === undefined) return undefined
  const first = Number(text.slice(0, space))
  const sizes = text.slice(space + 1, end).split(',')
  return { first, last: first + sizes.length - 1, sizes, values }
}

/** The entries that were not removed, from a number on. */
export function entriesOf<T>({ first, sizes, values }: Segment<T>, from: number): LoggedEvent<T>[] {
  const entries: LoggedEvent<T>[] = []
  for (const [index, value] of values.entries())
    if (first + index >= from && sizes[index] !== REMOVED) entries.push({ seq: first + index, value })
  return entries
}

/** The segment without the entries with these numbers. */
export function withoutEntries<T>({ first, last, sizes, values }: Segment<T>, removed: ReadonlySet<number>) {
  const isRemoved = (index: number): boolean => removed.has(first + index)
  return {
    first,
    last,
    sizes: sizes.map((size, index) => (isRemoved(index) ? REMOVED : size)),
    values: values.map((value, index) => (isRemoved(index) ? null : value)),
  }
}
