/** Dialog that uploads a document as a new mock: from a file or pasted text. */
import { useRef, useState } from 'preact/hooks'
import { ApiError, call, explain } from '../../lib/instance/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ReportView } from './report.tsx'
import { documentBody } from './document-body.ts'
import type { MockRecord, Report } from './types.ts'

export interface UploadDialogProps {
  first: { name: string; text: string }
  onUploaded(name: string): void
  onClose(): void
}

export function UploadDialog({ first, onUploaded, onClose }: UploadDialogProps) {
  const [name, setName] = useState(nameFrom(first.name))
  const [text, setText] = useState(first.text)
  const [problem, setProblem] = useState<{ message: string; report: Report | null } | null>(null)
  const [isBusy, setBusy] = useState(false)
  const chooser = useRef<HTMLInputElement>(null)

  async function take(file: File | undefined): Promise<void> {
    if (file === undefined) return
    setText(await file.text())
    setProblem(null)
    if (name === '') setName(nameFrom(file.name.replace(/\.(?:ya?ml|json)$/i, '')))
  }

  async function upload(event: Event): Promise<void> {
    event.preventDefault()
    setBusy(true)
    try {
      const response = await call(`_svc/mocks${name === '' ? '' : `?name=${encodeURIComponent(name)}`}`, {
        method: 'POST',
        admin: true,
        ...(await documentBody(text)),
      })
      onUploaded(((await response.json()) as MockRecord).name)
    } catch (error) {
      const report = error instanceof ApiError ? ((error.body as { report?: Report }).report ?? null) : null
      setProblem({ message: explain(error), report })
      setBusy(false)
    }
  }

  return (
    <Dialog title="Upload a mock" wide onClose={onClose}>
      <form
        class="stack"
        onSubmit={event => void upload(event)}
        onDragOver={event => event.preventDefault()}
        onDrop={event => {
          event.preventDefault()
          void take(event.dataTransfer?.files[0])
        }}
      >
        <div class="mocks-drop">
          <input
            ref={chooser}
            type="file"
            accept=".json,.yaml,.yml"
            hidden
            aria-label="File"
            onChange={event => void take(event.currentTarget.files?.[0])}
          />
          <Button icon="download" onClick={() => chooser.current?.click()}>
            Choose a file
          </Button>
          <span class="quiet-text">or drop it here, or paste the document below</span>
        </div>
        <TextField
          mono
          label="Name"
          value={name}
          onValue={value => setName(value.toLowerCase())}
          placeholder="Default: from the title of the document"
          hint="Lowercase letters, digits and hyphens. The mock is served below /mock/<name>."
        />
        <TextArea
          mono
          label="Document"
          rows={12}
          value={text}
          onValue={value => {
            setText(value)
            setProblem(null)
          }}
          placeholder={'openapi: 3.1.0\ninfo: …'}
          hint="OpenAPI 3.0 or 3.1 as JSON or YAML, or an exported bundle."
        />
        {problem !== null &&
          (problem.report === null ? (
            <Notice kind="bad" title="Not deployed">
              {problem.message}
            </Notice>
          ) : (
            <ReportView report={problem.report} />
          ))}
        <div class="dialog-actions">
          <span class="spacer" />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={isBusy} disabled={text.trim() === ''}>
            Upload and deploy
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function nameFrom(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64)
}
