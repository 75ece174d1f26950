/** Pairs of a client wire and an upstream wire: what they are called, and which of them a run is limited to. */
import { nearest } from 'svc/toolkit'
import type { Wire } from '../wires/types.ts'

/** A pair with the model that leads from one wire to the other. */
export interface Pair {
  client: Wire
  upstream: Wire
  /** As the gateway knows it. */
  model: string
}

/** `messages:converse`, as in reports and on the command line. */
export function nameOfPair({ client, upstream }: Pick<Pair, 'client' | 'upstream'>): string {
  return `${client.id}:${upstream.id}`
}

/** `messages → converse`, for people. */
export function shownPair(name: string): string {
  return name.replace(':', ' → ')
}

/** One wire, or all of them as `*`, on each side. */
export interface PairPattern {
  client: string
  upstream: string
}

/** Returns a sentence for what is not a pair of known wires. */
export function readPairs(words: readonly string[], wires: readonly string[]): PairPattern[] | string {
  const patterns: PairPattern[] = []
  for (const word of words) {
    const [client, upstream, ...more] = word.trim().split(':')
    if (!client || !upstream || more.length > 0)
      return `"${word.slice(0, 100)}" is not a pair: expected client:upstream, such as messages:converse`
    for (const wire of [client, upstream]) {
      if (wire === '*' || wires.includes(wire)) continue
      const found = nearest(wire, wires)
      return `unknown wire "${wire.slice(0, 50)}"${found === undefined ? '' : ` (did you mean ${found}?)`}; expected ${wires.join(', ')}`
    }
    patterns.push({ client, upstream })
  }
  return patterns
}

/** As they were given. */
export function shownPatterns(patterns: readonly PairPattern[] | null): string[] | null {
  return patterns?.map(({ client, upstream }) => `${client}:${upstream}`) ?? null
}

/** Null: all pairs are. */
export function isWanted(name: string, patterns: readonly PairPattern[] | null): boolean {
  if (patterns === null) return true
  const [client, upstream] = name.split(':')
  const fits = (pattern: string, wire: string | undefined): boolean => pattern === '*' || pattern === wire
  return patterns.some(pattern => fits(pattern.client, client) && fits(pattern.upstream, upstream))
}

/** Whether a client wire occurs in a pattern. */
export function isClientWanted(wire: string, patterns: readonly PairPattern[] | null): boolean {
  return patterns === null || patterns.some(({ client }) => client === '*' || client === wire)
}

export const PAIR_STATES = ['tested', 'not routed', 'not asked', 'beyond the limit'] as const
export type PairState = (typeof PAIR_STATES)[number]

/** What recognition found of a client wire and a model. Plain JSON. */
export interface FoundPair {
  /** `chat:?` if nothing arrived. */
  pair: string
  client: string
  /** Null: nothing arrived, or on no wire that is known. */
  upstream: string | null
  model: string
  state: PairState
  reason: string | null
}
