/** Starts a run of the probe: the gateway, the groups of checks, and whether malformed requests are sent. */
import { useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { completeAddress } from '../../lib/instance/gateway-address.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { activeGateway, settings } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/view.tsx'
import { RunProblem } from '../request/run-problem.tsx'

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
        {problem !== null && (
          <RunProblem section="probe" error={problem} url={url} onRun={onStarted} onAllow={() => void start(true)} />
        )}
      </form>
    </Panel>
  )
}
