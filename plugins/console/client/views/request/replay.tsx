/** Dialog that sends a captured request again, edited if needed, directly or through a gateway. */
import { useState } from 'preact/hooks'
import { explain } from '../../lib/instance/api.ts'
import { findArrival } from '../../lib/traffic/arrival.ts'
import { toCurl } from '../../lib/protocol/curl.ts'
import { requestOf, send, UnreachableError, type Sent } from '../../lib/instance/gateway.ts'
import { forbiddenHeaders, formatMs, headerOf, type Arrived, type NameValue } from '../../lib/protocol/http.ts'
import { go, route } from '../../lib/shell/router.ts'
import { settings } from '../../lib/shell/storage.ts'
import { Badge, StatusBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { HeaderEditor } from '../../ui/header-list.tsx'
import { Notice } from '../../ui/notice.tsx'

const DIRECT = ''
/** Characters of the response body to show. */
const MAX_RESPONSE_TEXT = 100_000

interface Outcome {
  sent: Sent
  status: number
  text: string
}

export function ReplayDialog({ entry, onClose }: { entry: Arrived; onClose(): void }) {
  const original = requestOf(entry)
  const left = forbiddenHeaders(original.headers ?? [])
  const isText = typeof original.body === 'string' || original.body === null
  const [method, setMethod] = useState(original.method)
  const [path, setPath] = useState(original.path)
  const [headers, setHeaders] = useState<NameValue[]>(
    (original.headers ?? []).filter(({ name }) => !left.includes(name)),
  )
  const [body, setBody] = useState(isText ? ((original.body as string | null) ?? '') : '')
  const [target, setTarget] = useState(settings.value.target ?? DIRECT)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [failure, setFailure] = useState<{ message: string; curl: string | null } | null>(null)
  const [isSending, setSending] = useState(false)
  const gateway = settings.value.gateways.find(({ name }) => name === target) ?? null

  async function replay(): Promise<void> {
    setSending(true)
    setFailure(null)
    setOutcome(null)
    try {
      const { sent, response } = await send({
        method,
        path: path.startsWith('/') ? path : `/${path}`,
        headers,
        body: isText ? body || null : (original.body ?? null),
        gateway,
      })
      setOutcome({ sent, status: response.status, text: (await response.text()).slice(0, MAX_RESPONSE_TEXT) })
    } catch (error) {
      setFailure({ message: explain(error), curl: error instanceof UnreachableError ? toCurl(error.sent) : null })
    }
    setSending(false)
  }

  async function show(sent: Sent): Promise<void> {
    const arrived = await findArrival(sent)
    if (arrived === null) return setFailure({ message: 'The request did not reach this instance.', curl: null })
    onClose()
    go('traffic', {
      ...Object.fromEntries(route.peek().view === 'traffic' ? route.peek().params : []),
      id: arrived.id,
      with: null,
    })
  }

  return (
    <Dialog
      title="Replay"
      wide
      onClose={onClose}
      actions={
        <>
          {outcome && (
            <Button icon="arrow" onClick={() => void show(outcome.sent)}>
              Show what arrived
            </Button>
          )}
          <Button kind="primary" icon="send" busy={isSending} onClick={() => void replay()}>
            Send
          </Button>
        </>
      }
    >
      <div class="stack">
        <div class="replay-line">
          <Select
            label="Target"
            value={target}
            options={[{ value: DIRECT, label: 'Direct' }, ...settings.value.gateways.map(({ name }) => name)]}
            onValue={setTarget}
          />
          <TextField label="Method" mono value={method} onValue={setMethod} />
          <TextField label="Path" mono value={path} onValue={setPath} />
        </div>
        <div class="field">
          <span class="label">Headers</span>
          <HeaderEditor headers={headers} onHeaders={setHeaders} />
          {left.length > 0 && (
            <p class="hint">The browser controls these headers and ignores other values: {left.join(', ')}.</p>
          )}
        </div>
        {isText ? (
          !/^(?:GET|HEAD)$/i.test(method) && (
            <div class="field">
              <span class="label">Body</span>
              <Editor
                label="Body"
                value={body}
                onValue={setBody}
                language={body.trimStart().startsWith('{') || body.trimStart().startsWith('[') ? 'json' : 'text'}
              />
            </div>
          )
        ) : (
          <p class="hint">The body is binary and is sent as stored.</p>
        )}
        {entry.body_truncated && <Notice kind="warn">Only the first 64 KiB of the body were stored.</Notice>}
        {failure && (
          <Notice kind="bad">
            {failure.message}
            {failure.curl && <Code label="curl command" text={failure.curl} wrap />}
          </Notice>
        )}
        {outcome && (
          <div class="stack" role="status">
            <p>
              <StatusBadge status={outcome.status} withReason />{' '}
              <span class="quiet-text">after {formatMs(outcome.sent.response?.ms ?? 0)}</span>{' '}
              <LimitBadge sent={outcome.sent} />
            </p>
            {outcome.text !== '' && <Code label="Response body" text={outcome.text} wrap />}
          </div>
        )}
      </div>
    </Dialog>
  )
}

/** Whether a limit of the instance rejected the request, or something else returned the 429. */
function LimitBadge({ sent: { response } }: { sent: Sent }) {
  const limit = response && headerOf(response.headers, 'x-svc-limit')
  if (limit) return <Badge tone="warn">rejected by this instance's plan: {limit}</Badge>
  return response?.status === 429 ? <Badge>not rejected by this instance's plan</Badge> : null
}
