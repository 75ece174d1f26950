/** Measures the memory of a store on the heap. */
import { setTimeout as wait } from 'node:timers/promises'
import { usedBytes } from './heap.ts'

/** Factor by which a full store may exceed its bound [HARD-12], since the cost of strings and objects is estimated. */
export const HEAP_FACTOR = 1.5

/** Bytes that `fill` allocates and its return value keeps alive after a garbage collection. */
export async function heapGrowth(fill: () => Promise<unknown> | unknown): Promise<number> {
  const before = await settledBytes()
  const kept = [await fill()]
  const grown = (await settledBytes()) - before
  kept.length = 0
  return grown
}

/** Responses just read and closing sockets are released in later turns of the event loop. */
async function settledBytes(): Promise<number> {
  usedBytes()
  await wait(30)
  usedBytes()
  await wait(30)
  return usedBytes()
}
