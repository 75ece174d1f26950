/** Collects the differences of one message. */
import type { Difference, WireLimits } from '../types.ts'

/** Where a comparison is, and what both wires have no word for. */
export interface Scope {
  side: Difference['side']
  scene: string
  mode: Difference['mode']
  /** Of the wire in which it was sent, and of that in which it arrived. */
  from: WireLimits
  to: WireLimits
  /** Both sides are of one wire. */
  isSameWire: boolean
}

export class Collector {
  readonly scope: Scope
  readonly found: Difference[] = []

  constructor(scope: Scope) {
    this.scope = scope
  }

  lost(path: string, sent: unknown, isUnavoidable = false, why?: string): void {
    this.#add(path, isUnavoidable ? 'unavoidable' : 'lost', { sent, ...(why === undefined ? {} : { why }) })
  }

  changed(path: string, sent: unknown, got: unknown, isUnavoidable = false, why?: string): void {
    this.#add(path, isUnavoidable ? 'unavoidable' : 'changed', { sent, got, ...(why === undefined ? {} : { why }) })
  }

  added(path: string, got: unknown, why?: string): void {
    this.#add(path, 'added', { got, ...(why === undefined ? {} : { why }) })
  }

  #add(path: string, kind: Difference['kind'], values: Pick<Difference, 'sent' | 'got' | 'why'>): void {
    const { side, scene, mode } = this.scope
    this.found.push({ side, scene, mode, path, kind, ...values })
  }
}
