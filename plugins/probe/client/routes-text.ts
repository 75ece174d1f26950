/** What all parts of the routes file are read with. Problems are sentences that begin with `routes:`. */
import { nearest } from 'svc/toolkit'
import { readAddress, type Address } from './address.ts'

export interface GroupRoute {
  /** Null: that of the gateway. */
  address: Address | null
  /** In front of the paths of the group; empty or with a leading slash. */
  path: string
}

/** The file is wrong; the message says where. */
export class RoutesProblem extends Error {}

export function readRoute(name: string, value: unknown): GroupRoute {
  if (typeof value !== 'string' || value.length > 2_000)
    throw new RoutesProblem(`routes: ${name} must be a path or a URL`)
  if (value.startsWith('/')) {
    if (!/^\/[\w.~%/-]*$/.test(value)) throw new RoutesProblem(`routes: ${name} must be a path such as /v1`)
    return { address: null, path: value === '/' ? '' : value.replace(/\/$/, '') }
  }
  const address = readAddress(value)
  if (typeof address === 'string') throw new RoutesProblem(`routes: ${name}: ${address}`)
  return { address, path: '' }
}

/** Throws for a key that is not known. */
export function rejectUnknown(prefix: string, value: Record<string, unknown>, known: readonly string[]): void {
  const wrong = Object.keys(value).find(key => !known.includes(key))
  if (wrong !== undefined)
    throw new RoutesProblem(`routes: unknown key "${prefix}${wrong.slice(0, 50)}"${guess(wrong, known)}`)
}

export function guess(word: string, known: readonly string[]): string {
  const found = nearest(word, known)
  return found === undefined ? `; expected ${known.join(', ')}` : ` (did you mean ${found}?)`
}
