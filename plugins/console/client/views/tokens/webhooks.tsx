/** Signs webhooks with a scheme, and verifies them, also after changes. */
import { useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { useAction, useLoad } from '../../lib/shell/hooks.ts'
import type { NameValue } from '../../lib/protocol/http.ts'
import { sendAndRead, type SentExchange } from '../../lib/tokens/oauth.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { HeaderEditor } from '../../ui/header-list.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { TargetSelect } from '../request/target.tsx'
import { ExchangeList } from '../request/exchange-list.tsx'

interface Overview {
  schemes: Record<
    string,
    { headers: string[]; signature: string; verify_path: string; tolerance_seconds: number | null }
  >
  demo_secrets: { id: string; secret: string }[]
}

interface Signed {
  scheme: string
  secret: string
  headers: Record<string, string>
  body: string
  signed_content: string
  verify_path: string
  receive_path: string | null
  curl: string
}

const PAYLOAD = '{"type":"order.created","data":{"id":"ord_1001","amount":4200}}'

export function WebhookLab() {
  const overview = useLoad(signal => callJson<Overview>('webhooks', { signal }))
  if (overview.value === undefined)
    return overview.error === null ? <Loading /> : <Notice kind="bad">{overview.error}</Notice>
  return <Signer overview={overview.value} />
}

function Signer({ overview: { schemes, demo_secrets: demoSecrets } }: { overview: Overview }) {
  const [scheme, setScheme] = useState(Object.keys(schemes)[0]!)
  const [secret, setSecret] = useState(demoSecrets[0]?.secret ?? '')
  const [payload, setPayload] = useState(PAYLOAD)
  const [signed, setSigned] = useState<Signed | null>(null)
  const sign = useAction(async () => {
    setSigned(
      await callJson<Signed>(`webhooks/sign?${new URLSearchParams({ scheme, secret })}`, {
        method: 'POST',
        body: payload,
        headers: { 'Content-Type': 'application/json' },
      }),
    )
  })
  return (
    <div class="tokens-split">
      <Panel title="Webhook to sign">
        <form
          class="stack"
          onSubmit={event => {
            event.preventDefault()
            void sign.run()
          }}
        >
          <Select
            label="Scheme"
            value={scheme}
            onValue={setScheme}
            options={Object.keys(schemes)}
            hint={`Signature: ${schemes[scheme]!.signature}.`}
          />
          <TextField
            mono
            label="Secret"
            value={secret}
            onValue={setSecret}
            hint={
              <>
                Demo secrets:{' '}
                {demoSecrets.map(({ id, secret: known }) => (
                  <button key={id} type="button" class="tokens-link" onClick={() => setSecret(known)}>
                    {id}
                  </button>
                ))}
              </>
            }
          />
          <TextArea mono label="Payload" rows={6} value={payload} onValue={setPayload} />
          <div class="actions">
            <Button kind="primary" icon="tokens" type="submit" busy={sign.isRunning}>
              Sign
            </Button>
          </div>
          {sign.error !== null && <Notice kind="bad">{sign.error}</Notice>}
        </form>
      </Panel>
      {signed === null ? (
        <Panel title="Signed webhook">
          <Empty title="Nothing signed yet">
            The signed headers appear here. You can change them and the body before you verify them.
          </Empty>
        </Panel>
      ) : (
        <Verifier key={JSON.stringify(signed)} signed={signed} isStale={sign.isRunning} />
      )}
    </div>
  )
}

/** `isStale`: another webhook is being signed and will replace this one. */
function Verifier({ signed, isStale }: { signed: Signed; isStale: boolean }) {
  const [headers, setHeaders] = useState<NameValue[]>(
    Object.entries(signed.headers).map(([name, value]) => ({ name, value })),
  )
  const [body, setBody] = useState(signed.body)
  const [gateway, setGateway] = useState(activeGateway)
  const [exchanges, setExchanges] = useState<readonly SentExchange[]>([])
  const verify = useAction(async (what: string, path: string) => {
    const exchange = await sendAndRead(what, {
      method: 'POST',
      path,
      headers: [...headers, { name: 'X-Webhook-Secret', value: signed.secret }],
      body,
      gateway,
    })
    setExchanges(known => [exchange, ...known].slice(0, 10))
  })
  const busy = verify.isRunning || isStale
  return (
    <div class="stack">
      <Panel
        title="Signed webhook"
        actions={
          <CopyButton small text={signed.curl}>
            Copy as curl
          </CopyButton>
        }
      >
        <div class="field">
          <span class="label">Headers</span>
          <HeaderEditor headers={headers} onHeaders={setHeaders} />
        </div>
        <TextArea
          mono
          label="Signed body"
          rows={4}
          value={body}
          onValue={setBody}
          hint={body === signed.body ? undefined : 'Changed after signing.'}
        />
        <section class="tokens-part">
          <h3>Signed content</h3>
          <Code label="Signed content" text={signed.signed_content} wrap />
        </section>
        <TargetSelect gateway={gateway} onGateway={setGateway} />
        <div class="actions">
          <Button
            kind="primary"
            icon="check"
            busy={busy}
            onClick={() => void verify.run('Verification', signed.verify_path)}
          >
            Verify
          </Button>
          {signed.receive_path !== null && (
            <Button icon="send" busy={busy} onClick={() => void verify.run('Receiver', signed.receive_path!)}>
              Send to the receiver
            </Button>
          )}
        </div>
        {verify.error !== null && <Notice kind="bad">{verify.error}</Notice>}
      </Panel>
      {exchanges.length > 0 && (
        <Panel title="Responses">
          <ExchangeList exchanges={exchanges} />
        </Panel>
      )}
    </div>
  )
}
