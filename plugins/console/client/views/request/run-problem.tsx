/** Errors of starting a run: a gateway that is not allowed, another run that goes on. */
import { ApiError, explain } from '../../lib/instance/api.ts'
import { status, type Status } from '../../lib/instance/status.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Why a run of the probe or of a demo has not started. `section`: whose `targets` in svc.yaml are meant. */
export function RunProblem({
  section,
  error,
  url,
  onRun,
  onAllow,
}: {
  section: 'probe' | 'demos'
  error: unknown
  url: string
  onRun(id: string): void
  /** Starts the run with this gateway. */
  onAllow(): void
}) {
  const facts = (error instanceof ApiError ? error.body : {}) as { error?: string; url?: string }
  if (facts.error === 'target_not_allowed')
    return (
      <Notice
        kind="warn"
        title={`This gateway is not in ${section}.targets`}
        actions={
          isUnrestricted(status.value) && (
            <Button small onClick={onAllow}>
              Allow for this run
            </Button>
          )
        }
      >
        <p>
          An instance contacts only gateways on its own machine, and those that its svc.yaml names. To add this one:
        </p>
        <Code text={`${section}:\n  targets:\n    - "${originOf(url)}"`} label="svc.yaml" wrap />
      </Notice>
    )
  const isTaken = facts.error === 'run_in_progress' || facts.error === 'lane_in_use'
  const running = isTaken ? facts.url?.split('/').at(-1) : undefined
  return (
    <Notice
      kind="bad"
      {...(running === undefined
        ? {}
        : {
            actions: (
              <Button small onClick={() => onRun(running)}>
                Show it
              </Button>
            ),
          })}
    >
      {running === undefined ? explain(error) : 'Another run is going on.'}
    </Notice>
  )
}

/** Whether callers may allow a gateway themselves. */
function isUnrestricted(facts: Status | null): boolean {
  return facts !== null && !facts.public_mode && !facts.admin_token_configured && facts.control_auth === 'open'
}

function originOf(text: string): string {
  return URL.canParse(text.trim()) ? new URL(text.trim()).origin : text.trim()
}
