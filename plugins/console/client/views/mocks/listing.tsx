/** The list of mocks, each with a switch. */
import { callJson } from '../../lib/instance/api.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { formatNumber } from '../../lib/protocol/http.ts'
import { setParams } from '../../lib/shell/router.ts'
import { Badge } from '../../ui/badge.tsx'
import { Switch } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import type { MockSummary } from './types.ts'

export function MockListing({
  mocks,
  selected,
  onChange,
}: {
  mocks: readonly MockSummary[]
  selected: string | null
  onChange(): void
}) {
  const turn = useAction(async (name: string, enabled: boolean) => {
    await callJson(`_svc/mocks/${name}/${enabled ? 'enable' : 'disable'}`, { method: 'POST', admin: true })
    onChange()
  })
  return (
    <Panel title="All mocks" class="mocks-list">
      {turn.error !== null && <Notice kind="bad">{turn.error}</Notice>}
      <ul aria-label="Mocks">
        {mocks.map(mock => (
          <li key={mock.name} class={mock.name === selected ? 'selected' : ''}>
            <button
              type="button"
              aria-pressed={mock.name === selected}
              onClick={() => setParams({ mock: mock.name, tab: null })}
            >
              <span class="mono">{mock.name}</span>
              <span class="quiet-text">
                {mock.title.toLowerCase() === mock.name ? '' : `${mock.title}, `}
                {formatNumber(mock.operations)} {mock.operations === 1 ? 'operation' : 'operations'},{' '}
                {formatNumber(mock.requests)} {mock.requests === 1 ? 'request' : 'requests'}
              </span>
              <span class="mocks-badges">
                <MockBadges mock={mock} />
              </span>
            </button>
            <Switch
              hideLabel
              label={mock.name}
              checked={mock.enabled}
              busy={turn.isRunning}
              onChecked={enabled => void turn.run(mock.name, enabled)}
            />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const SOURCES: Record<MockSummary['source'], string> = {
  builtin: 'built in',
  file: 'svc.yaml',
  directory: 'folder',
  cli: 'command line',
  api: 'uploaded',
}

export function MockBadges({ mock }: { mock: MockSummary }) {
  return (
    <>
      <Badge title={mock.file ?? undefined}>{SOURCES[mock.source]}</Badge>
      <Badge>version {mock.version}</Badge>
      {!mock.enabled && <Badge tone="bad">off</Badge>}
      {mock.modified && (
        <Badge tone="warn" title="Changed at run time since the last deployment">
          changed
        </Badge>
      )}
      {mock.has_draft && <Badge tone="info">draft</Badge>}
    </>
  )
}
