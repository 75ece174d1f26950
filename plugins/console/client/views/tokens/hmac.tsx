/** Signs a request with HMAC and sends it, and shows the signing strings of both sides. */
import { useEffect, useState } from 'preact/hooks'
import { toCurl } from '../../lib/protocol/curl.ts'
import { urlAt } from '../../lib/instance/gateway.ts'
import {
  HMAC_ALGORITHMS,
  signHmac,
  type HmacAlgorithm,
  type HmacInput,
  type HmacResult,
} from '../../lib/tokens/hmac.ts'
import { explain } from '../../lib/instance/api.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { takesNoBody } from '../../lib/protocol/http.ts'
import { canSign } from '../../lib/protocol/ids.ts'
import { sendAndRead, type SentExchange } from '../../lib/tokens/oauth.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { HeaderList } from '../../ui/header-list.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { TargetSelect } from '../request/target.tsx'
import { ExchangeList } from '../request/exchange-list.tsx'

const FIRST: HmacInput = {
  method: 'GET',
  target: '/auth/hmac',
  username: 'alice',
  secret: 'secret',
  algorithm: 'hmac-sha256',
  scheme: 'hmac',
  signed: 'x-date request-line',
  date: '',
  body: '',
  version: '1.1',
}

export function HmacLab() {
  const [input, setInput] = useState({ ...FIRST, date: new Date().toUTCString() })
  const [gateway, setGateway] = useState(activeGateway)
  const [result, setResult] = useState<HmacResult | string | null>(null)
  const [exchanges, setExchanges] = useState<readonly SentExchange[]>([])
  const change = (changes: Partial<HmacInput>) => setInput(known => ({ ...known, ...changes }))
  const body = takesNoBody(input.method) ? '' : input.body
  useEffect(() => {
    let isOld = false
    if (canSign())
      signHmac({ ...input, body }).then(
        signed => {
          if (!isOld) setResult(signed)
        },
        error => {
          if (!isOld) setResult(explain(error))
        },
      )
    return () => {
      isOld = true
    }
  }, [JSON.stringify(input)])
  const isSigned = typeof result === 'object' && result !== null
  const request = isSigned
    ? { method: input.method, path: input.target, headers: result.headers, body: body === '' ? null : body, gateway }
    : null
  const sendIt = useAction(async () => {
    const exchange = await sendAndRead('Signed request', request!)
    setExchanges(known => [exchange, ...known].slice(0, 10))
  })
  if (!canSign())
    return (
      <Notice kind="warn" title="This page cannot sign requests">
        Browsers allow signing only on HTTPS and localhost. Open the console there, or sign with{' '}
        <code>openssl dgst -hmac</code>.
      </Notice>
    )

  return (
    <div class="tokens-split">
      <Panel title="Request to sign">
        <div class="tokens-pair">
          <Select
            label="Method"
            value={input.method}
            onValue={method => change({ method })}
            options={['GET', 'POST', 'PUT', 'DELETE']}
          />
          <TextField mono label="Path" value={input.target} onValue={target => change({ target })} />
        </div>
        <div class="tokens-pair">
          <TextField mono label="User name" value={input.username} onValue={username => change({ username })} />
          <TextField mono label="Secret" value={input.secret} onValue={secret => change({ secret })} />
        </div>
        <div class="tokens-pair">
          <Select
            label="Algorithm"
            value={input.algorithm}
            onValue={algorithm => change({ algorithm: algorithm as HmacAlgorithm })}
            options={Object.keys(HMAC_ALGORITHMS)}
          />
          <Select
            label="Header format"
            value={input.scheme}
            onValue={scheme => change({ scheme: scheme as HmacInput['scheme'] })}
            options={[
              { value: 'hmac', label: 'hmac username="…"' },
              { value: 'Signature', label: 'Signature keyId="…"' },
            ]}
          />
        </div>
        <TextField
          mono
          label="Signed parts"
          value={input.signed}
          onValue={signed => change({ signed })}
          hint="x-date, digest, request-line, (request-target), @request-target"
        />
        <div class="tokens-now">
          <TextField mono label="X-Date" value={input.date} onValue={date => change({ date })} />
          <Button icon="replay" onClick={() => change({ date: new Date().toUTCString() })}>
            Now
          </Button>
        </div>
        {!takesNoBody(input.method) && (
          <TextArea
            mono
            label="Body"
            rows={3}
            value={input.body}
            onValue={next => change({ body: next })}
            hint="Add digest to the signed parts to cover the body."
          />
        )}
        <TargetSelect gateway={gateway} onGateway={setGateway} />
      </Panel>
      <div class="stack">
        <Panel
          title="Signature"
          actions={
            request && (
              <>
                <CopyButton small text={toCurl({ ...request, url: urlAt(input.target, gateway) })}>
                  Copy as curl
                </CopyButton>
                <Button small kind="primary" icon="send" busy={sendIt.isRunning} onClick={() => void sendIt.run()}>
                  Send signed request
                </Button>
              </>
            )
          }
        >
          {result === null ? (
            <Loading what="Signing" />
          ) : typeof result === 'string' ? (
            <Notice kind="bad">{result}</Notice>
          ) : (
            <>
              <section class="tokens-part">
                <h3>Signing string</h3>
                <Code label="Signing string" text={result.signingString} wrap />
              </section>
              <section class="tokens-part">
                <h3>Headers</h3>
                <HeaderList label="Signed headers" headers={result.headers} />
              </section>
            </>
          )}
          {sendIt.error !== null && <Notice kind="bad">{sendIt.error}</Notice>}
        </Panel>
        {exchanges.length > 0 && (
          <Panel title="Responses">
            <ExchangeList exchanges={exchanges} />
          </Panel>
        )}
      </div>
    </div>
  )
}
