/** Follows a run of a demo on this server. */
import { useFollowedRun } from '../../lib/traffic/followed-run.ts'
import { afterEvent, NOTHING, type FollowedRun } from './run-state.ts'

/** The run as its events arrive; null without a run. */
export function useDemoRun(id: string | null): FollowedRun | null {
  return useFollowedRun(id === null ? null : `_svc/demos/runs/${encodeURIComponent(id)}/events`, NOTHING, afterEvent)
}
