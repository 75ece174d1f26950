/** The settings of a mock. Changes take effect when saved. */
import { useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { FormWithJson } from '../../ui/form-with-json.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { GRAPH_SETTINGS_SCHEMA, SETTINGS_SCHEMA } from './schemas.ts'
import type { Json, MockRecord } from './types.ts'

export function SettingsTab({ mock, onChange }: { mock: MockRecord; onChange(): void }) {
  const [value, setValue] = useState<Json>(mock.settings)
  const isChanged = JSON.stringify(value) !== JSON.stringify(mock.settings)
  const save = useAction(async () => {
    setValue(await callJson<Json>(`_svc/mocks/${mock.name}/settings`, { method: 'PUT', admin: true, json: value }))
    onChange()
  })
  return (
    <Panel
      title="Settings"
      actions={
        <Button small kind="primary" disabled={!isChanged} busy={save.isRunning} onClick={() => void save.run()}>
          Save settings
        </Button>
      }
    >
      {save.error !== null && (
        <Notice kind="bad" title="Not saved">
          {save.error}
        </Notice>
      )}
      <FormWithJson
        schema={mock.kind === 'graphql' ? GRAPH_SETTINGS_SCHEMA : SETTINGS_SCHEMA}
        label="Settings"
        value={value}
        onValue={next => setValue(next as Json)}
      />
    </Panel>
  )
}
