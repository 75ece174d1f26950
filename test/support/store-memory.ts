/** Measures the memory of a store on the heap, and makes the data that costs most. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Test } from 'tap'
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

export const MIB = 1024 * 1024
export const KIB = 1024

/** Text in its own memory, as created by a parser. */
export function own(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** Latin-1, in its own memory. */
export function ascii(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

/** Characters that retain a text of 64 KiB. */
export function slice(index: number, characters = 40): string {
  return Buffer.alloc(64 * KIB, `${index} `)
    .toString('latin1')
    .slice(0, characters)
}

/** Two bytes per character. */
export function wide(characters: number): string {
  return Buffer.from('ж'.repeat(characters), 'utf16le').toString('utf16le')
}

/** Two bytes per character because of a single one: in UTF-8 it is half as long. */
export function wideFor(characters: number): string {
  return own(`ж${'x'.repeat(characters)}`)
}

/** Names and values of two characters. */
export function shortHeaders(count: number): { name: string; value: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    name: ascii(`h${index % 10}`),
    value: ascii(`v${index % 10}`),
  }))
}

/** Unique names. */
export function record(index: number): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: 16 }, (_, place) => [`name${index}_${place}`, place]))
}

export function nested(): unknown {
  return JSON.parse(`${'['.repeat(50)}${'{"a":'.repeat(50)}0.5${'}'.repeat(50)}${']'.repeat(50)}`)
}

/** Fills a store of this many bytes completely and measures the heap; `fill` returns the store. */
export async function bounded(t: Test, bytes: number, fill: () => Promise<unknown> | unknown): Promise<void> {
  const grown = await heapGrowth(fill)
  t.ok(grown <= HEAP_FACTOR * bytes, `${(grown / MIB).toFixed(1)} MiB held of ${bytes / MIB} MiB`)
  t.ok(grown > bytes / 20, 'and it was filled')
}

export async function times(count: number, work: (index: number) => unknown): Promise<void> {
  for (let index = 0; index < count; index++) await work(index)
}
