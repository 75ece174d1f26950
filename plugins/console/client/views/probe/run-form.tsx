/** Starts a run of the probe: the gateway, the groups of checks, and whether malformed requests are sent. */
import { useState } from 'preact/hooks'
import { ApiError, callJson, explain } from '../../lib/instance/api.ts'
import { completeAddress } from '../../lib/instance/gateway-address.ts'
import { status, type Status } from '../../lib/instance/status.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { activeGateway, settings } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'

export function RunForm({
  runningId,
  onStarted,
}: {
  /** The run to stop; null if none is going on. */
  runningId: string | null
  onStarted(id: string): void
}) {
  const catalog = useLoad(signal => callJson<{ checks: { group: string }[] }>('_svc/probe/checks', { signal }))
  const groups = [...new Set(catalog.value?.checks.map(({ group }) => group))]
  const [url, setUrl] = useState(() => (activeGateway() ?? settings.value.gateways[0])?.url ?? '')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [isHostile, setHostile] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)

  async function start(isAllowed = false): Promise<void> {
    const target = completeAddress(url)
    setUrl(target)
    setBusy(true)
    setProblem(null)
    try {
      const { id } = await callJson<{ id: string }>('_svc/probe/runs', {
        method: 'POST',
        admin: true,
        json: {
          target,
          ...(isAllowed ? { allow_target: true } : {}),
          hostile: isHostile,
          ...(left.size === 0 ? {} : { groups: groups.filter(group => !left.has(group)) }),
        },
      })
      onStarted(id)
    } catch (error) {
      setProblem(error)
    }
    setBusy(false)
  }

  async function stop(): Promise<void> {
    try {
      await callJson(`_svc/probe/runs/${runningId}/stop`, { method: 'POST', admin: true })
    } catch (error) {
      setProblem(error)
    }
  }

  return (
    <Panel title="Run the checks" class="not-presented">
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          void start()
        }}
      >
        <TextField
          mono
          label="Gateway URL"
          value={url}
          onValue={setUrl}
          placeholder="http://localhost:8000"
          hint="The gateway has to forward to this instance. It may have a path."
        />
        <fieldset class="probe-groups">
          <legend>Groups</legend>
          {groups.map(group => (
            <Checkbox
              key={group}
              label={group}
              checked={!left.has(group)}
              onChecked={isChosen => setLeft(new Set([...left, group].filter(one => one !== group || !isChosen)))}
            />
          ))}
        </fieldset>
        <Checkbox
          label="Hostile forms"
          checked={isHostile}
          onChecked={setHostile}
          hint="Malformed requests too. Only for gateways that you may test."
        />
        <div class="actions">
          <Button
            kind="primary"
            icon="play"
            type="submit"
            busy={isBusy}
            disabled={runningId !== null || url.trim() === '' || (groups.length > 0 && left.size === groups.length)}
          >
            Start
          </Button>
          <Button kind="danger" icon="stop" disabled={runningId === null} onClick={() => void stop()}>
            Stop
          </Button>
        </div>
        {problem !== null && <Problem error={problem} url={url} onRun={onStarted} onAllow={() => void start(true)} />}
      </form>
    </Panel>
  )
}

function Problem({
  error,
  url,
  onRun,
  onAllow,
}: {
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
        title="This gateway is not in probe.targets"
        actions={
          isUnrestricted(status.value) && (
            <Button small onClick={onAllow}>
              Allow for this run
            </Button>
          )
        }
      >
        <p>An instance probes only gateways on its own machine, and those that its svc.yaml names. To add this one:</p>
        <Code text={`probe:\n  targets:\n    - "${originOf(url)}"`} label="svc.yaml" wrap />
      </Notice>
    )
  const running = facts.error === 'run_in_progress' ? facts.url?.split('/').at(-1) : undefined
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
