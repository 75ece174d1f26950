/** Deployed versions, newest first: show them or roll back. */
import { useState } from 'preact/hooks'
import { call, callJson } from '../../lib/instance/api.ts'
import { useAction, useLoad } from '../../lib/shell/hooks.ts'
import { formatNumber } from '../../lib/protocol/http.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import type { MockRecord, Version } from './types.ts'

export function Versions({ mock, onChange }: { mock: MockRecord; onChange(): void }) {
  const base = `_svc/mocks/${mock.name}`
  const list = useLoad(
    signal => callJson<{ current: number; versions: Version[] }>(`${base}/versions`, { signal }),
    [mock.version],
  )
  const [opened, setOpened] = useState<{ version: number; text: string } | null>(null)
  const open = useAction(async (version: number) =>
    setOpened({ version, text: await (await call(`${base}/spec?version=${version}`)).text() }),
  )
  const rollBack = useAction(async (version: number) => {
    await callJson(`${base}/rollback`, { method: 'POST', admin: true, json: { version } })
    onChange()
  })
  return (
    <Panel title="Versions">
      {[list.error, open.error, rollBack.error].map(
        error =>
          error !== null && (
            <Notice key={error} kind="bad">
              {error}
            </Notice>
          ),
      )}
      {mock.managed && <p class="quiet-text">This mock follows its file, so it cannot be rolled back here.</p>}
      {list.value === undefined ? (
        <Loading />
      ) : (
        <ol class="mocks-rules" aria-label="Versions">
          {list.value.versions.map(
            ({ version, deployed_at: at, message, title, api_version: api, operations, rolled_back_from: from }) => (
              <li key={version}>
                <Badge tone={version === list.value!.current ? 'good' : 'neutral'}>
                  {version}
                  {version === list.value!.current ? ', active' : ''}
                </Badge>
                <div class="mocks-rule-text">
                  <strong>{message ?? `${title} ${api}`}</strong>
                  <span class="quiet-text">
                    {new Date(at).toLocaleString()}, {formatNumber(operations)}{' '}
                    {operations === 1 ? 'operation' : 'operations'}
                    {from !== null && `, rolled back to version ${from}`}
                  </span>
                </div>
                <span class="actions">
                  <Button small onClick={() => void open.run(version)}>{`Show version ${version}`}</Button>
                  {version !== list.value!.current && (
                    <Button
                      small
                      icon="replay"
                      disabled={mock.managed}
                      busy={rollBack.isRunning}
                      onClick={() => void rollBack.run(version)}
                    >{`Roll back to ${version}`}</Button>
                  )}
                </span>
              </li>
            ),
          )}
        </ol>
      )}
      {opened !== null && (
        <Dialog wide title={`Version ${opened.version}`} onClose={() => setOpened(null)}>
          <Code label="Document" text={opened.text} />
        </Dialog>
      )}
    </Panel>
  )
}
