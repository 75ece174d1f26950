/** Request bins: URLs that record requests, with a live list of what they captured. */
import { useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { instanceBase } from '../lib/instance/page.ts'
import { useAction, useLoad } from '../lib/shell/hooks.ts'
import { formatNumber, formatTime } from '../lib/protocol/http.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { settings } from '../lib/shell/storage.ts'
import { Button } from '../ui/button.tsx'
import { TryCommand } from '../ui/code.tsx'
import { Empty, Loading, Notice } from '../ui/notice.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'
import { BinPanel } from './bins/bin-panel.tsx'
import { CreateBin } from './bins/create-bin.tsx'
import type { BinSummary } from './bins/types.ts'

export default function Bins() {
  const [isCreating, setCreating] = useState(false)
  const { value, error, isLoading, reload } = useLoad(
    async signal => (await callJson<{ bins: BinSummary[] }>('bin', { signal })).bins,
    [settings.value.session],
  )
  const wanted = route.value.params.get('bin')
  const bin = value?.find(({ id }) => id === wanted)
  const create = useAction(async (response: object) => {
    const { id } = await callJson<BinSummary>('bin', { method: 'POST', json: response })
    await reload()
    setCreating(false)
    setParams({ bin: id, n: null })
  })

  const isEmpty = value?.length === 0 && wanted === null
  const createButton = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create bin
    </Button>
  )

  return (
    <>
      <ViewHeader
        title="Request bins"
        about="A bin is a URL that records every request, returns the response you configure, and shows what arrived."
      >
        {!isEmpty && createButton}
      </ViewHeader>
      {error !== null && <Notice kind="bad">{error}</Notice>}
      {isCreating && (
        <CreateBin
          error={create.error}
          isBusy={create.isRunning}
          onCreate={response => void create.run(response)}
          onClose={() => {
            setCreating(false)
            create.clearError()
          }}
        />
      )}
      {value === undefined ? (
        isLoading && <Loading />
      ) : isEmpty ? (
        <Panel title="Bins" hideTitle>
          <Empty title="No bins yet">
            <p>
              Use a bin as the target of webhooks and callbacks, or behind a route of a gateway, and see every request
              with its headers and body.
            </p>
            {createButton}
            <p>Or create one from a shell:</p>
            <TryCommand command={`curl -X POST ${instanceBase}bin`} />
          </Empty>
        </Panel>
      ) : (
        <div class={`bins-split ${wanted === null ? '' : 'with-bin'}`}>
          <Panel title="Bins" class="bins-list">
            {value.length === 0 ? (
              <Empty title="No bins yet" />
            ) : (
              <ul aria-label="Bins">
                {value.map(({ id, created_at: createdAt, total_requests: total, response }) => (
                  <li key={id}>
                    <button type="button" aria-pressed={id === wanted} onClick={() => setParams({ bin: id, n: null })}>
                      <span class="mono ellipsis">{id}</span>
                      <span class="quiet-text">
                        created {formatTime(createdAt).slice(0, 8)}, {formatNumber(total)}{' '}
                        {total === 1 ? 'request' : 'requests'}, returns {response.status}
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </Panel>
          {wanted !== null && (
            <BinPanel
              key={wanted}
              id={wanted}
              summary={bin ?? null}
              onChange={() => void reload()}
              onDeleted={() => {
                setParams({ bin: null, n: null })
                void reload()
              }}
            />
          )}
        </div>
      )}
    </>
  )
}
