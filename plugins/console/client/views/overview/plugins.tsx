/** All plugins, each with a switch that takes effect immediately. */
import { useMemo, useState } from 'preact/hooks'
import { ApiError, callJson, explain } from '../../lib/instance/api.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { plugins, refresh, status, type PluginRecord } from '../../lib/instance/status.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Switch, TextField } from '../../ui/field.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'

/** Plugins that block a change; they can be switched with it. */
interface Obstacle {
  name: string
  on: boolean
  others: string[]
}

export function PluginsPanel() {
  const list = plugins.value
  const building = status.value?.plugins.building
  const [search, setSearch] = useState('')
  const [obstacle, setObstacle] = useState<Obstacle | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [running, setRunning] = useState<string | null>(null)
  const reload = useAction(async () => {
    await callJson('_svc/reload', { method: 'POST', admin: true })
    await refresh()
  })
  const shown = useMemo(
    () =>
      list?.plugins.filter(({ name, title, paths }) =>
        `${name} ${title} ${paths.join(' ')}`.toLowerCase().includes(search.toLowerCase()),
      ),
    [list, search],
  )

  async function change(name: string, path: string, method: 'POST' | 'DELETE', on: boolean): Promise<void> {
    setRunning(name)
    setError(null)
    setObstacle(null)
    try {
      await callJson(`_svc/plugins/${encodeURIComponent(name)}/${path}`, { method, admin: true })
    } catch (reason) {
      const others = othersOf(reason)
      if (others !== null) setObstacle({ name, on, others })
      // 422: the record of the plugin has the error and shows it.
      else if (!(reason instanceof ApiError && reason.status === 422)) setError(explain(reason))
    }
    await refresh()
    setRunning(null)
  }

  const flip = (name: string, on: boolean, cascade = false) =>
    change(name, `${on ? 'enable' : 'disable'}${cascade ? '?cascade=true' : ''}`, 'POST', on)

  return (
    <Panel
      title="Plugins"
      class="overview-plugins"
      actions={
        <>
          {list && <Counts {...list.counts} />}
          <Button small icon="replay" busy={reload.isRunning} onClick={() => void reload.run()}>
            Reload
          </Button>
        </>
      }
    >
      {reload.error && (
        <Notice kind="bad" title="Reload failed">
          {reload.error}
        </Notice>
      )}
      {error && <Notice kind="bad">{error}</Notice>}
      {obstacle && (
        <Notice
          kind="warn"
          title={
            obstacle.on
              ? `${obstacle.name} needs ${obstacle.others.join(', ')}`
              : `${obstacle.others.join(', ')} depend${obstacle.others.length === 1 ? 's' : ''} on ${obstacle.name}`
          }
          actions={
            <Button small onClick={() => void flip(obstacle.name, obstacle.on, true)}>
              {obstacle.on ? 'Enable all' : 'Disable all'}
            </Button>
          }
        />
      )}
      {building && (
        <Notice kind="warn" title={`Building since ${new Date(building.since).toLocaleTimeString()}`}>
          The reload waits for {building.plugin} to register. Until then the previous version serves; a newer change, or
          disabling the plugin, replaces this build.
        </Notice>
      )}
      {list && list.load_errors.length > 0 && (
        <Notice kind="warn" title="Parts of the configuration were ignored">
          <ul>
            {list.load_errors.map((problem, index) => (
              <li key={index}>
                <code>
                  {[problem.file, problem.line].filter(Boolean).join(':')} {problem.at}
                </code>{' '}
                {problem.message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {shown === undefined ? (
        <Loading />
      ) : (
        <>
          <TextField
            label="Search plugins"
            hideLabel
            type="search"
            placeholder="Search by name or path"
            value={search}
            onValue={setSearch}
          />
          <ul class="overview-plugin-list">
            {shown.map(record => (
              <Plugin
                key={record.name}
                record={record}
                isRunning={running === record.name}
                onSwitch={on => void flip(record.name, on)}
                onRelease={() => void change(record.name, 'override', 'DELETE', false)}
              />
            ))}
          </ul>
          {shown.length === 0 && <p class="quiet-text">No matching plugins.</p>}
        </>
      )}
    </Panel>
  )
}

function Counts({ enabled, disabled, failed }: { enabled: number; disabled: number; failed: number }) {
  return (
    <>
      <Badge tone="good">{enabled} on</Badge>
      {disabled > 0 && <Badge>{disabled} off</Badge>}
      {failed > 0 && <Badge tone="bad">{failed} failed</Badge>}
    </>
  )
}

function Plugin({
  record,
  isRunning,
  onSwitch,
  onRelease,
}: {
  record: PluginRecord
  isRunning: boolean
  onSwitch(on: boolean): void
  onRelease(): void
}) {
  const { name, title, description, state, disabled_by: disabledBy, source, error, stale, paths } = record
  return (
    <li class="overview-plugin">
      <Switch label={name} hideLabel checked={state === 'enabled'} busy={isRunning} onChecked={onSwitch} />
      <div class="overview-plugin-text" title={description}>
        <p class="overview-plugin-name">
          <strong>{title}</strong> <code class="quiet-text">{name}</code>
        </p>
        <p class="ellipsis hint" title={paths.length > 0 ? paths.join(' ') : undefined}>
          {paths.length > 0 ? <code>{paths.join(' ')}</code> : description}
        </p>
        {(state === 'failed' || stale || source !== 'builtin' || disabledBy !== null) && (
          <p class="actions">
            {state === 'failed' && <Badge tone="bad">failed</Badge>}
            {stale && <Badge tone="warn">running an older version</Badge>}
            {source !== 'builtin' && <Badge tone="info">{source}</Badge>}
            {disabledBy !== null && (
              <Badge>{disabledBy === 'api' ? 'turned off at run time' : `off: ${disabledBy}`}</Badge>
            )}
            {disabledBy === 'api' && (
              <Button small kind="quiet" icon="replay" onClick={onRelease}>
                Reset to configuration
              </Button>
            )}
          </p>
        )}
        {error && (
          <p class="bad-text overview-plugin-error">
            <strong>{error.phase}:</strong> {error.message}
          </p>
        )}
      </div>
    </li>
  )
}

/** The plugins that a 409 response names; null for other errors. */
function othersOf(reason: unknown): string[] | null {
  if (!(reason instanceof ApiError) || reason.status !== 409) return null
  const { used_by: usedBy, needs } = reason.body as { used_by?: string[]; needs?: string[] }
  return usedBy ?? needs ?? null
}
