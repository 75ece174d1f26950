/** Reads a batched log in the order in which things happened. */
import type { EventLog, LoggedEvent } from '../contract/event-log.ts'

/**
 * Entries of several replicas reach a batched log in batches, and each replica appends what has ended: one that happened later
 * can come before this many others, which is the size of a batch.
 */
const UNORDERED = 256

/**
 * The newest entries of a stream by the time that `timeOf` reads from them, in milliseconds, then by their number; newest
 * first.
 */
export async function newestByTime<T>(
  log: Pick<EventLog<T>, 'newest'>,
  stream: string,
  { limit, timeOf, where }: { limit: number; timeOf(value: T): number; where?: (value: T) => boolean },
): Promise<LoggedEvent<T>[]> {
  const found = await log.newest(stream, limit + UNORDERED, where)
  return found
    .map(entry => ({ entry, time: timeOf(entry.value) }))
    .sort((one, other) => other.time - one.time || other.entry.seq - one.entry.seq)
    .slice(0, limit)
    .map(({ entry }) => entry)
}
