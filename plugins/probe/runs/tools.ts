/** Runs as tools for a language model. */
import type { ControlTools } from 'svc/toolkit'

export function addTools(tools: ControlTools): void {
  tools.tool({
    name: 'start_probe',
    operation: { method: 'POST', path: '/_svc/probe/runs' },
    follow: body => {
      const run = runningRun(body)
      return run === null ? null : { method: 'GET', path: `/_svc/probe/runs/${run}` }
    },
    stop: body => {
      const run = runningRun(body)
      return run === null ? null : { method: 'POST', path: `/_svc/probe/runs/${run}/stop` }
    },
  })
  tools.tool({ name: 'get_probe', operation: { method: 'GET', path: '/_svc/probe/runs/{id}' } })
}

/** The id of the run in a response about a run that has not ended. */
function runningRun(body: unknown): string | null {
  const { id, progress } = body as { id?: string; progress?: { id: string; state: string } }
  if (progress !== undefined && progress.state !== 'running') return null
  return progress?.id ?? id ?? null
}
