/** State values and call counts of a session in a mock. */
import { useEffect, useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { useAction, useLoad } from '../../lib/shell/hooks.ts'
import { formatNumber, parseJson } from '../../lib/protocol/http.ts'
import { settings } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { Editor } from '../../ui/editor.tsx'
import { TextField } from '../../ui/field.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Facts, Panel } from '../../ui/view.tsx'
import type { MockRecord } from './types.ts'

interface State {
  session: string
  state: Record<string, string>
  counts: Record<string, number>
}

const REFRESH_MS = 3000

export function StateTab({ mock }: { mock: MockRecord }) {
  const base = `_svc/mocks/${mock.name}/state`
  const [session, setSession] = useState(settings.peek().session)
  const query = session === '' ? '' : `?session=${encodeURIComponent(session)}`
  const { value, error, reload } = useLoad(
    signal => callJson<State>(base + query, { signal }),
    [mock.name, session],
    REFRESH_MS,
  )
  // Null: not edited, so the values from the instance are shown.
  const [text, setText] = useState<string | null>(null)
  useEffect(() => setText(null), [session])
  const shown = text ?? JSON.stringify(value?.state ?? {}, null, 2)
  const save = useAction(async () => {
    const next = parseJson(shown)
    if (typeof next !== 'object' || next === null) throw new Error('The state must be a JSON object of strings.')
    // Keys that are missing in the new state are removed.
    const removed = Object.fromEntries(
      Object.keys(value?.state ?? {})
        .filter(key => !(key in next))
        .map(key => [key, null]),
    )
    await callJson(base + query, { method: 'PUT', admin: true, json: { ...removed, ...next } })
    setText(null)
    await reload()
  })
  const clear = useAction(async (which: string) => {
    await callJson(base + which, { method: 'DELETE', admin: true })
    setText(null)
    await reload()
  })
  const counts = Object.entries(value?.counts ?? {})
  return (
    <Panel
      title="State"
      actions={
        <>
          {value && !value.session.startsWith('ip:') && (
            <Button
              small
              busy={clear.isRunning}
              onClick={() => void clear.run(`?session=${encodeURIComponent(value.session)}`)}
            >
              Clear this session
            </Button>
          )}
          <Button small kind="danger" busy={clear.isRunning} onClick={() => void clear.run('')}>
            Clear all sessions
          </Button>
        </>
      }
    >
      {[error, save.error, clear.error].map(
        problem =>
          problem !== null && (
            <Notice key={problem} kind="bad">
              {problem}
            </Notice>
          ),
      )}
      <TextField
        mono
        label="Session"
        value={session}
        onValue={setSession}
        placeholder="This browser's IP address"
        hint={
          value && (
            <>
              State of <code>{value.session}</code>. Each <code>X-Svc-Session</code> has its own state.
            </>
          )
        }
      />
      {value === undefined ? (
        <Loading />
      ) : (
        <div class="mocks-pair">
          <div class="field">
            <span class="label">Values</span>
            <Editor
              label="State values"
              language="json"
              value={shown}
              onValue={next => {
                if (next !== shown) setText(next)
              }}
              minLines={6}
            />
            <div class="actions">
              <Button
                small
                kind="primary"
                disabled={text === null}
                busy={save.isRunning}
                onClick={() => void save.run()}
              >
                Save values
              </Button>
            </div>
          </div>
          <div class="field">
            <span class="label">Calls</span>
            {counts.length === 0 ? (
              <Empty title="No calls yet">Rules can depend on how often a session called an operation.</Empty>
            ) : (
              <Facts items={counts.map(([operation, count]) => [operation, formatNumber(count)])} />
            )}
          </div>
        </div>
      )}
    </Panel>
  )
}
