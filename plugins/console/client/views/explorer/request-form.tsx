/** The request form: filled in from an example, then edited. */
import { useState } from 'preact/hooks'
import { toCurl } from '../../lib/protocol/curl.ts'
import { ABORT_KINDS, ENCODINGS } from '../../lib/instance/faults.ts'
import { targetHeaders, urlAt } from '../../lib/instance/gateway.ts'
import { forbiddenHeaders, headerOf, isJsonType, mediaTypeOf, takesNoBody } from '../../lib/protocol/http.ts'
import { useKeys } from '../../lib/shell/keys.ts'
import type { CatalogEndpoint } from '../../lib/shell/places.ts'
import type { Gateway } from '../../lib/shell/storage.ts'
import { copyText } from '../../lib/shell/clipboard.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { HeaderEditor } from '../../ui/header-list.tsx'
import { Notice } from '../../ui/notice.tsx'
import { bodyOf, draftOf, headersOf, type AuthKind, type Draft, type Example } from './draft.ts'
import { useExchange } from './exchange.ts'
import { PathParameters } from './path-parameters.tsx'
import { ResponsePanel } from './response.tsx'

const AUTH_KINDS = [
  { value: 'none', label: 'No credentials' },
  { value: 'basic', label: 'Basic' },
  { value: 'bearer', label: 'Bearer token' },
]
const ABORTS = ['', ...ABORT_KINDS].map(value => ({ value, label: value || 'Off' }))
const CODINGS = ['', ...ENCODINGS].map(value => ({ value, label: value || 'That of the route' }))

export function RequestForm({
  endpoint,
  example,
  gateway,
}: {
  endpoint: CatalogEndpoint
  example: Example | undefined
  gateway: Gateway | null
}) {
  const [draft, setDraft] = useState(() => draftOf(endpoint, example))
  const { exchange, run, stop } = useExchange()
  /** The request folds when it is sent, so that the response has the space. */
  const [isOpen, setOpen] = useState(true)
  const change = (changes: Partial<Draft>) => setDraft(known => ({ ...known, ...changes }))
  const request = { method: draft.method, path: draft.path, headers: headersOf(draft), body: bodyOf(draft) }
  const curl = () =>
    toCurl({ ...request, url: urlAt(draft.path, gateway), headers: targetHeaders(request.headers, gateway) })
  useKeys({ c: () => void copyText(curl()) })
  const dropped = forbiddenHeaders(request.headers)

  return (
    <>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          run({ ...request, gateway })
          setOpen(false)
        }}
      >
        <div class="explorer-line">
          <Select
            label="Method"
            value={draft.method}
            onValue={method => change({ method })}
            options={[...new Set([...endpoint.expanded_methods, draft.method])]}
          />
          <TextField mono label="Path" value={draft.path} onValue={path => change({ path })} />
          <div class="actions">
            <Button kind="primary" icon="send" type="submit">
              Send
            </Button>
            <CopyButton text={curl}>Copy as curl</CopyButton>
          </div>
        </div>
        <details class="explorer-request" open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
          <summary>Request</summary>
          <div class="stack">
            <PathParameters template={endpoint.path} path={draft.path} onPath={path => change({ path })} />
            <div class="explorer-parts">
              <div class="field">
                <span class="label">Headers</span>
                <HeaderEditor headers={draft.headers} onHeaders={headers => change({ headers })} />
                {dropped.length > 0 && (
                  <p class="hint">Browsers do not send {dropped.join(', ')}; the curl command does.</p>
                )}
              </div>
              <Credentials auth={draft.auth} onAuth={auth => change({ auth })} />
            </div>
            <Faults faults={draft.faults} onFaults={faults => change({ faults })} />
            <ChosenResponse faults={draft.faults} onFaults={faults => change({ faults })} />
            {takesNoBody(draft.method) ? (
              draft.body !== '' && (
                <Notice kind="info">Browsers send no body with {draft.method}, so it is left out.</Notice>
              )
            ) : (
              <div class="field">
                <span class="label">Body</span>
                <Editor
                  label="Body"
                  value={draft.body}
                  onValue={body => change({ body })}
                  language={isJsonType(mediaTypeOf(draft.headers)) ? 'json' : 'text'}
                  minLines={4}
                />
                {draft.body !== '' && headerOf(draft.headers, 'content-type') === null && (
                  <p class="hint">Without a Content-Type header, the browser sends text/plain.</p>
                )}
              </div>
            )}
          </div>
        </details>
      </form>
      <ResponsePanel exchange={exchange} onStop={stop} />
    </>
  )
}

function Credentials({ auth, onAuth }: { auth: Draft['auth']; onAuth(auth: Draft['auth']): void }) {
  const change = (changes: Partial<Draft['auth']>) => onAuth({ ...auth, ...changes })
  return (
    <div class="stack">
      <Select
        label="Credentials"
        value={auth.kind}
        onValue={kind => change({ kind: kind as AuthKind })}
        options={AUTH_KINDS}
      />
      {auth.kind === 'basic' && (
        <TextField mono label="User name" value={auth.username} onValue={username => change({ username })} />
      )}
      {auth.kind === 'basic' && (
        <TextField mono label="Password" value={auth.password} onValue={password => change({ password })} />
      )}
      {auth.kind === 'bearer' && (
        <TextField
          mono
          label="Bearer token"
          value={auth.token}
          onValue={token => change({ token })}
          hint={auth.token.startsWith('<') ? 'Get a token in the token lab.' : undefined}
        />
      )}
    </div>
  )
}

function Faults({ faults, onFaults }: { faults: Draft['faults']; onFaults(faults: Draft['faults']): void }) {
  return (
    <details class="explorer-faults" open={faults.delay + faults.fail + faults.abort !== ''}>
      <summary>Faults on demand</summary>
      <div class="explorer-parameters">
        <TextField
          mono
          label="Delay (ms)"
          placeholder="0"
          inputMode="numeric"
          value={faults.delay}
          onValue={delay => onFaults({ ...faults, delay })}
          hint="X-Svc-Delay"
        />
        <TextField
          mono
          label="Fail with"
          placeholder="503:50"
          value={faults.fail}
          onValue={fail => onFaults({ ...faults, fail })}
          hint="X-Svc-Fail: a status or a word of the plugin, optionally with a failure rate in percent"
        />
        <Select
          label="Abort the connection"
          value={faults.abort}
          onValue={abort => onFaults({ ...faults, abort })}
          options={ABORTS}
          hint="X-Svc-Abort"
        />
      </div>
    </details>
  )
}

function ChosenResponse({ faults, onFaults }: { faults: Draft['faults']; onFaults(faults: Draft['faults']): void }) {
  return (
    <details class="explorer-faults" open={faults.answer + faults.encoding !== ''}>
      <summary>Response on demand</summary>
      <div class="stack">
        <TextArea
          mono
          label="Answer with"
          rows={3}
          placeholder={'503, or {"status": 200, "headers": {}, "body": "hello"}'}
          value={faults.answer}
          onValue={answer => onFaults({ ...faults, answer })}
          hint="X-Svc-Answer: a status, or the response as JSON. The route is not called."
        />
        <Select
          label="Content coding"
          value={faults.encoding}
          onValue={encoding => onFaults({ ...faults, encoding })}
          options={CODINGS}
          hint="X-Svc-Encoding"
        />
      </div>
    </details>
  )
}
