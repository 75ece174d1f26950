/** One mock: its URLs, and its parts as tabs. */
import { call, callJson } from '../../lib/instance/api.ts'
import { urlAt } from '../../lib/instance/gateway.ts'
import { useAction, useLoad } from '../../lib/shell/hooks.ts'
import { route, setParams } from '../../lib/shell/router.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Facts, Panel } from '../../ui/view.tsx'
import { Behavior } from './behavior.tsx'
import { DocumentTab } from './document.tsx'
import { ExportTab } from './export.tsx'
import { MockBadges } from './listing.tsx'
import { Operations } from './operations.tsx'
import { SettingsTab } from './settings.tsx'
import { StateTab } from './state.tsx'
import { Traffic } from './traffic.tsx'
import type { MockRecord, MockSummary } from './types.ts'
import { Versions } from './versions.tsx'

export interface MockDetailProps {
  summary: MockSummary
  onChange(): void
  onDeleted(): void
  /** Creates a new mock from this document. */
  onCopy(text: string): void
}

export function MockDetail({ summary, onChange, onDeleted, onCopy }: MockDetailProps) {
  const { name } = summary
  const base = `_svc/mocks/${name}`
  const record = useLoad(signal => callJson<MockRecord>(base, { signal }), [summary.revision])
  const remove = useAction(async () => {
    await call(base, { method: 'DELETE', admin: true })
    onDeleted()
  })
  const gateway = activeGateway()
  const path = `/mock/${name}${summary.base_paths?.[0] ?? ''}`
  const mock = record.value
  const changed = () => {
    onChange()
    void record.reload()
  }

  return (
    <div class="mocks-detail">
      <Panel
        title={name}
        actions={
          <>
            <MockBadges mock={summary} />
            {!summary.managed && (
              <Button small kind="danger" icon="trash" busy={remove.isRunning} onClick={() => void remove.run()}>
                Delete
              </Button>
            )}
          </>
        }
      >
        {[record.error, remove.error].map(error => error !== null && <Notice kind="bad">{error}</Notice>)}
        <Facts
          items={[
            [
              'Document',
              summary.kind === 'graphql'
                ? [summary.title, 'GraphQL schema'].filter(text => text !== '').join(', ')
                : `${summary.title} ${summary.api_version}, OpenAPI ${summary.openapi}`,
            ],
            ['URL', <Address key="direct" url={urlAt(path, null)} />],
            gateway !== null && [`Through ${gateway.name}`, <Address key="gateway" url={urlAt(path, gateway)} />],
            (summary.base_paths ?? []).length > 0 && [
              'Base paths',
              <code key="paths">{summary.base_paths?.join(', ')}</code>,
            ],
          ]}
        />
      </Panel>
      {mock === undefined ? (
        record.isLoading && <Loading />
      ) : (
        <Tabs
          label="Mock"
          selected={route.value.params.get('tab') ?? 'document'}
          onSelect={key => setParams({ tab: key === 'document' ? null : key })}
          tabs={[
            {
              key: 'document',
              title: 'Document',
              content: () => <DocumentTab mock={mock} onChange={changed} onCopy={onCopy} />,
            },
            { key: 'operations', title: `Operations (${mock.operations})`, content: () => <Operations mock={mock} /> },
            {
              key: 'behavior',
              title: `Rules and overrides (${mock.rules.length + Object.keys(mock.overrides).length})`,
              content: () => <Behavior mock={mock} onChange={changed} />,
            },
            { key: 'traffic', title: 'Traffic', content: () => <Traffic mock={mock} /> },
            { key: 'state', title: 'State', content: () => <StateTab mock={mock} /> },
            { key: 'versions', title: 'Versions', content: () => <Versions mock={mock} onChange={changed} /> },
            { key: 'settings', title: 'Settings', content: () => <SettingsTab mock={mock} onChange={changed} /> },
            { key: 'export', title: 'Export', content: () => <ExportTab name={name} /> },
          ]}
        />
      )}
    </div>
  )
}

function Address({ url }: { url: string }) {
  return (
    <span class="bins-address">
      <code>{url}</code>
      <CopyButton small text={url}>
        Copy URL
      </CopyButton>
    </span>
  )
}
