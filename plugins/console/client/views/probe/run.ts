/** Follows a run of the probe on this server. */
import { useFollowedRun } from '../../lib/traffic/followed-run.ts'
import type { Progress, Result } from './types.ts'

export interface FollowedRun {
  results: readonly Result[]
  total: number
  state: Progress['state']
  /** Why the run failed, or why it cannot be followed. */
  error: string | null
}

const NOTHING: FollowedRun = { results: [], total: 0, state: 'running', error: null }

/** The results of a run as they arrive; null without a run. */
export function useRun(id: string | null): FollowedRun | null {
  return useFollowedRun(id === null ? null : `_svc/probe/runs/${encodeURIComponent(id)}/events`, NOTHING, afterEvent)
}

function afterEvent(run: FollowedRun, event: string, data: unknown): FollowedRun {
  switch (event) {
    case 'begin':
      return { ...run, total: (data as { total: number }).total }
    case 'check':
      return { ...run, results: [...run.results, data as Result] }
    case 'end': {
      const { state, error } = data as Pick<Progress, 'state' | 'error'>
      return { ...run, state, error }
    }
    default:
      return run
  }
}
