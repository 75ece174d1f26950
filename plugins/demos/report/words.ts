/** What reports say in one sentence. */
import type { ControlResult } from './report.ts'
import type { ExpectationResult } from '../run/expect/result.ts'

export function resultText({ verdict, expected, got, why, soft }: ExpectationResult): string {
  return `${verdict}${soft ? ' (not counted)' : ''}: ${expected}${why === null ? '' : ` (${why})`}; got ${got}`
}

export function controlText({ verdict, wanted }: ControlResult): string {
  return `without the gateway: ${verdict}${verdict === wanted ? '' : `, expected ${wanted}`}`
}
