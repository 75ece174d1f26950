/** The form that gets a token. */
import { useRef, useState } from 'preact/hooks'
import { openWindow } from '../../lib/tokens/code-flow.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { route, setParams } from '../../lib/shell/router.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { TargetSelect } from '../request/target.tsx'
import { getToken, GRANTS, NO_VALUES, type FieldKey, type GrantValues } from './grants.ts'
import { DEMO_CLIENT } from '../../lib/tokens/oauth.ts'
import { labClient, token, tokenSet } from './lab.ts'

const LABELS: Record<Exclude<FieldKey, 'order'>, string> = {
  username: 'User name',
  password: 'Password',
  refresh: 'Refresh token',
  subject: 'Subject token',
  actor: 'Actor token',
  audience: 'Audience',
  nonce: 'Nonce',
}
const CLIENTS = [
  { ...DEMO_CLIENT, title: 'svc (with secret)' },
  { id: 'svc-public', secret: '', title: 'svc-public (no secret)' },
]

export function GetToken() {
  const grant = GRANTS.find(({ key }) => key === route.value.params.get('grant')) ?? GRANTS[0]!
  const [values, setValues] = useState(NO_VALUES)
  const [gateway, setGateway] = useState(activeGateway)
  const running = useRef<AbortController | null>(null)
  const client = labClient.value
  const change = (changes: Partial<GrantValues>) => setValues(known => ({ ...known, ...changes }))
  const get = useAction(async () => {
    // Browsers open a window only on a click, so open it before anything asynchronous.
    const opened = grant.key === 'authorization_code' ? openWindow() : null
    running.current = new AbortController()
    await getToken(grant.key, values, client, gateway, { opened, signal: running.current.signal })
  })
  function choose(key: string): void {
    setParams({ grant: key === GRANTS[0]!.key ? null : key })
    get.clearError()
    // The next grant starts with the tokens from the last one.
    if (key === 'refresh_token') change({ refresh: tokenSet.value?.refresh_token ?? values.refresh })
    if (key === 'exchange') change({ subject: token.value || values.subject })
  }

  return (
    <Panel title="Get a token" class="tokens-get">
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          void get.run()
        }}
      >
        <Select
          label="Grant"
          value={grant.key}
          onValue={choose}
          options={GRANTS.map(({ key, title }) => ({ value: key, label: title }))}
          hint={grant.about}
        />
        {grant.key !== 'order' && <ClientFields />}
        {grant.fields.map(field =>
          field === 'order' ? (
            <div key={field} class="field">
              <span class="label">Token specification</span>
              <Editor
                label="Token specification"
                language="json"
                value={values.order}
                onValue={order => change({ order })}
                minLines={5}
              />
              <p class="hint">
                <code>claims</code>, <code>header</code>, <code>algorithm</code>, <code>expires_in</code>,{' '}
                <code>not_before_in</code>, <code>wrong_signature</code>. All are optional.
              </p>
            </div>
          ) : field === 'subject' || field === 'actor' ? (
            <TextArea
              key={field}
              mono
              rows={3}
              label={LABELS[field]}
              value={values[field]}
              onValue={value => change({ [field]: value.trim() })}
            />
          ) : (
            <TextField
              key={field}
              mono={field !== 'username'}
              label={LABELS[field]}
              value={values[field]}
              onValue={value => change({ [field]: value })}
            />
          ),
        )}
        {grant.isScoped && (
          <div class="tokens-pair">
            <TextField
              mono
              label="Scope"
              placeholder="Default"
              value={values.scope}
              onValue={scope => change({ scope })}
            />
            <TextField
              mono
              label="Resource"
              placeholder="None"
              value={values.resource}
              onValue={resource => change({ resource })}
            />
          </div>
        )}
        <TargetSelect gateway={gateway} onGateway={setGateway} />
        <div class="actions">
          <Button kind="primary" icon="tokens" type="submit" busy={get.isRunning}>
            Get token
          </Button>
          {get.isRunning && grant.key === 'authorization_code' && (
            <Button icon="close" onClick={() => running.current?.abort()}>
              Cancel
            </Button>
          )}
        </div>
        {get.error !== null && (
          <Notice kind="bad" title="No token received">
            {get.error}
          </Notice>
        )}
      </form>
    </Panel>
  )
}

function ClientFields() {
  const client = labClient.value
  const known = CLIENTS.find(({ id, secret }) => id === client.id && secret === client.secret)
  const [isOwn, setOwn] = useState(known === undefined)
  return (
    <>
      <Select
        label="Client"
        value={isOwn ? '' : (known?.id ?? '')}
        options={[...CLIENTS.map(({ id, title }) => ({ value: id, label: title })), { value: '', label: 'Other' }]}
        onValue={id => {
          const chosen = CLIENTS.find(candidate => candidate.id === id)
          setOwn(chosen === undefined)
          if (chosen !== undefined) labClient.value = { id: chosen.id, secret: chosen.secret }
        }}
      />
      {isOwn && (
        <div class="tokens-pair">
          <TextField
            mono
            label="Client ID"
            value={client.id}
            onValue={id => {
              labClient.value = { ...client, id }
            }}
          />
          <TextField
            mono
            label="Client secret"
            class="secret"
            value={client.secret}
            onValue={secret => {
              labClient.value = { ...client, secret }
            }}
          />
        </div>
      )}
    </>
  )
}
