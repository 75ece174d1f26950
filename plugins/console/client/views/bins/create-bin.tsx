/** Dialog that creates a bin and configures its response. */
import { useState } from 'preact/hooks'
import { parseJson, type NameValue } from '../../lib/protocol/http.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { HeaderEditor } from '../../ui/header-list.tsx'
import { Notice } from '../../ui/notice.tsx'

export interface CreateBinProps {
  error: string | null
  isBusy: boolean
  /** The body of `POST /bin`. */
  onCreate(response: object): void
  onClose(): void
}

export function CreateBin({ error, isBusy, onCreate, onClose }: CreateBinProps) {
  const [status, setStatus] = useState('200')
  const [delay, setDelay] = useState('0')
  const [headers, setHeaders] = useState<NameValue[]>([])
  const [body, setBody] = useState('')

  function create(event: Event): void {
    event.preventDefault()
    onCreate({
      status: Number(status),
      delay_ms: Number(delay),
      headers: Object.fromEntries(headers.filter(({ name }) => name !== '').map(({ name, value }) => [name, value])),
      // Valid JSON is sent as a JSON value, anything else as a string.
      ...(body === '' ? {} : { body: parseJson(body) ?? body }),
    })
  }

  return (
    <Dialog title="Create bin" onClose={onClose}>
      <form class="stack" onSubmit={create}>
        <p class="quiet-text">The response that the bin returns.</p>
        <div class="bins-numbers">
          <TextField type="number" label="Status" min={200} max={599} value={status} onValue={setStatus} />
          <TextField type="number" label="Delay (ms)" min={0} value={delay} onValue={setDelay} />
        </div>
        <div class="field">
          <span class="label">Headers</span>
          <HeaderEditor headers={headers} onHeaders={setHeaders} />
        </div>
        <TextArea
          mono
          label="Body"
          rows={4}
          value={body}
          onValue={setBody}
          hint="If empty, the bin returns a JSON object with the number of the request."
        />
        {error !== null && <Notice kind="bad">{error}</Notice>}
        <div class="dialog-actions">
          <span class="spacer" />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
