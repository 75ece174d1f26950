/** What gateways of models add to a translation: costs, caches and fallbacks. */
import type { Reply, Request, Usage } from '../../../plugins/probe/wires/types.ts'

export interface Features {
  /** Dollars, in the field `x-cost`. */
  cost?(usage: Usage): number
  /** The same key gets the same answer. */
  cache?: { key(request: Request, credential: string): string; losesUsage?: boolean }
  /** Every model has a second deployment. What happens when the first one fails, before or in its reply. */
  fallback?: 'right' | 'joins both' | 'ends as complete' | 'apologizes'
  /** Accepts compressed replies, and passes them on without saying so. */
  keepsCoding?: boolean
}

/** All texts of a request without the marker of the probe, which is the same in a series. */
export function textsOf({ turns }: Request): string {
  return JSON.stringify(turns.map(({ role, parts }) => [role, parts]))
}

/** Of two attempts, the second of which was made since the first one failed. */
export function afterFallback(first: Reply | null, second: Reply, kind: Features['fallback']): Reply {
  if (kind === 'apologizes') return { ...second, parts: [{ type: 'text', text: 'Sorry.' }] }
  const hasBegun = first !== null && first.parts.length > 0
  if (hasBegun && kind === 'joins both') return { ...second, parts: [...first.parts, ...second.parts] }
  return hasBegun && kind === 'ends as complete' ? { ...first, finish: 'stop' } : second
}
