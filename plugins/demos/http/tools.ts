/** Demos as tools for a language model. */
import type { ControlTools } from 'svc/toolkit'

export function addTools(tools: ControlTools): void {
  tools.tool({ name: 'list_demos', operation: { method: 'GET', path: '/_svc/demos' } })
  tools.tool({
    name: 'run_demo',
    operation: { method: 'POST', path: '/_svc/demos/runs' },
    follow: body => {
      const run = openRun(body)
      return run === null ? null : { method: 'GET', path: `/_svc/demos/runs/${run}` }
    },
    stop: body => {
      const run = openRun(body)
      return run === null ? null : { method: 'POST', path: `/_svc/demos/runs/${run}/stop` }
    },
  })
  tools.tool({ name: 'demo_result', operation: { method: 'GET', path: '/_svc/demos/runs/{id}' } })
}

/** The id of the run in a response about one that goes on. A run that waits for its person can't be waited for. */
function openRun(body: unknown): string | null {
  const { id, state, run } = body as { id?: string; state?: string; run?: { id: string } }
  if (state !== undefined && state !== 'running') return null
  return run?.id ?? id ?? null
}
