/** What a store holds, as the heap shows it. */
import { setTimeout as wait } from 'node:timers/promises'
import { usedBytes } from './heap.ts'

/** How much more memory than its bound a full store may take [HARD-12]: strings and objects cost by estimate. */
export const HEAP_FACTOR = 1.5

/** Bytes held after a garbage collection by what `fill` makes, with its return value kept reachable. */
export async function heapGrowth(fill: () => Promise<unknown> | unknown): Promise<number> {
  const before = await settledBytes()
  const kept = [await fill()]
  const grown = (await settledBytes()) - before
  kept.length = 0
  return grown
}

/** Replies that were just read, and sockets that close, are let go in later turns. */
async function settledBytes(): Promise<number> {
  usedBytes()
  await wait(30)
  usedBytes()
  await wait(30)
  return usedBytes()
}
