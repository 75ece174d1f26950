/** The document tab: edit, check (with marks at the lines), save as a draft and deploy. */
import { signal } from '@preact/signals'
import { useMemo, useState } from 'preact/hooks'
import { ApiError, call, callJson } from '../../lib/instance/api.ts'
import { useAction, useLoad } from '../../lib/shell/hooks.ts'
import { lineOfPointer } from '../../lib/protocol/json-lines.ts'
import { Button } from '../../ui/button.tsx'
import { Editor, type EditorMark } from '../../ui/editor.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { documentBody } from './document-body.ts'
import { ReportView } from './report.tsx'
import type { Issue, MockRecord, Report } from './types.ts'

/** Unsaved texts by mock name, kept while other tabs are open. */
const unsaved = signal<Record<string, string>>({})

export interface DocumentTabProps {
  mock: MockRecord
  onChange(): void
  onCopy(text: string): void
}

export function DocumentTab(props: DocumentTabProps) {
  const { name, has_draft: hasDraft } = props.mock
  // Loaded only once per mock, so that saving does not replace the text in the editor.
  const loaded = useLoad(
    async signal => await (await call(`_svc/mocks/${name}/spec${hasDraft ? '?version=draft' : ''}`, { signal })).text(),
    [name],
  )
  if (loaded.value === undefined)
    return loaded.error === null ? <Loading /> : <Notice kind="bad">{loaded.error}</Notice>
  return <DocumentEditor first={loaded.value} {...props} />
}

function DocumentEditor({ first, mock, onChange, onCopy }: DocumentTabProps & { first: string }) {
  const base = `_svc/mocks/${mock.name}`
  const text = unsaved.value[mock.name] ?? first
  const setText = (next: string | null) => {
    const { [mock.name]: _old, ...others } = unsaved.peek()
    unsaved.value = next === null ? others : { ...others, [mock.name]: next }
  }
  const [message, setMessage] = useState('')
  const [allowsBreaking, setAllowsBreaking] = useState(false)
  const [checked, setChecked] = useState<{ report: Report; text: string; what: string } | null>(null)
  const [goTo, setGoTo] = useState<{ line: number } | null>(null)
  const isJson = /^\s*\{/.test(text)

  const check = useAction(async () => {
    const response = await call(`_svc/mocks/check?against=${mock.name}`, {
      method: 'POST',
      admin: true,
      ...(await documentBody(text)),
    })
    setChecked({ report: (await response.json()) as Report, text, what: 'Checked' })
  })
  async function save(): Promise<void> {
    const { report } = (await (
      await call(`${base}/draft`, { method: 'PUT', admin: true, ...(await documentBody(text)) })
    ).json()) as { report: Report }
    setChecked({ report, text, what: 'Saved as a draft' })
  }
  const saveDraft = useAction(async () => {
    await save()
    onChange()
  })
  const deploy = useAction(async () => {
    await save()
    try {
      const { report, version } = await callJson<MockRecord>(`${base}/deploy`, {
        method: 'POST',
        admin: true,
        json: { ...(message === '' ? {} : { message }), allow_breaking: allowsBreaking },
      })
      if (report) setChecked({ report, text, what: `Deployed as version ${version}` })
      setMessage('')
    } catch (error) {
      const report = error instanceof ApiError ? (error.body as { report?: Report }).report : undefined
      if (report) setChecked({ report, text, what: 'Not deployed' })
      throw error
    } finally {
      onChange()
    }
  })
  const discard = useAction(async () => {
    await call(`${base}/draft`, { method: 'DELETE', admin: true })
    setText(await (await call(`${base}/spec`)).text())
    setChecked(null)
    onChange()
  })

  const lineOf = (issue: Issue) =>
    issue.line ??
    (issue.at !== null && checked !== null && /^\s*\{/.test(checked.text)
      ? lineOfPointer(checked.text, issue.at)
      : null)
  const marks = useMemo<EditorMark[]>(
    () =>
      checked === null
        ? []
        : [
            ...checked.report.errors.map(issue => ({ issue, severity: 'error' as const })),
            ...checked.report.warnings.map(issue => ({ issue, severity: 'warning' as const })),
          ].flatMap(({ issue, severity }) => {
            const line = lineOf(issue)
            return line === null ? [] : [{ line, severity, message: `${issue.code}: ${issue.message}` }]
          }),
    [checked],
  )
  const isBusy = check.isRunning || saveDraft.isRunning || deploy.isRunning
  const errors = [check.error, saveDraft.error, deploy.error, discard.error].filter(error => error !== null)

  return (
    <div class="mocks-document">
      <div class="stack">
        {mock.managed && (
          <Notice
            actions={
              <Button small icon="copy" onClick={() => onCopy(text)}>
                Copy as a new mock
              </Button>
            }
          >
            This document is managed by{' '}
            {mock.source === 'builtin' ? 'the instance' : <code>{mock.file ?? mock.source}</code>}. You can check it
            here. To change it, make a copy.
          </Notice>
        )}
        {mock.has_draft && (
          <Notice
            title="This mock has a draft"
            actions={
              <Button small kind="danger" busy={discard.isRunning} onClick={() => void discard.run()}>
                Discard draft
              </Button>
            }
          >
            It takes effect when you deploy it.
          </Notice>
        )}
        <Editor
          label="Document"
          language={isJson ? 'json' : 'yaml'}
          value={text}
          onValue={setText}
          marks={marks}
          minLines={18}
          goTo={goTo}
        />
        <p class="hint">Press Esc, then Tab to leave the editor.</p>
        {!mock.managed && (
          <div class="mocks-deploy">
            <TextField label="Message" value={message} onValue={setMessage} placeholder="What changes" />
            <Checkbox label="Allow breaking changes" checked={allowsBreaking} onChecked={setAllowsBreaking} />
          </div>
        )}
        <div class="actions">
          <Button icon="check" busy={check.isRunning} disabled={isBusy} onClick={() => void check.run()}>
            Check
          </Button>
          <Button
            icon="edit"
            busy={saveDraft.isRunning}
            disabled={isBusy || mock.managed}
            onClick={() => void saveDraft.run()}
          >
            Save draft
          </Button>
          <Button
            kind="primary"
            icon="mocks"
            busy={deploy.isRunning}
            disabled={isBusy || mock.managed}
            onClick={() => void deploy.run()}
          >
            Deploy
          </Button>
        </div>
        {errors.map(error => (
          <Notice key={error} kind="bad">
            {error}
          </Notice>
        ))}
      </div>
      <Panel title="Report">
        {checked === null ? (
          <Empty title="Not checked yet">
            Check, Save draft and Deploy report problems in the document, and changes that affect clients.
          </Empty>
        ) : (
          <>
            <p class="quiet-text" role="status">
              {checked.what}
              {checked.text === text ? '.' : '. The text has changed since.'}
            </p>
            <ReportView report={checked.report} lineOf={lineOf} onLine={line => setGoTo({ line })} />
          </>
        )}
      </Panel>
    </div>
  )
}
