/** Sends one request through a gateway and opens what arrived, compared with what was sent. */
import { useState } from 'preact/hooks'
import { explain } from '../../lib/instance/api.ts'
import { send, UnreachableError } from '../../lib/instance/gateway.ts'
import { toCurl } from '../../lib/protocol/curl.ts'
import { trimEndCharacters } from '../../lib/protocol/trim.ts'
import { go } from '../../lib/shell/router.ts'
import { activeGateway, changeSettings, settings, type Gateway } from '../../lib/shell/storage.ts'
import { findArrival } from '../../lib/traffic/arrival.ts'
import { gatewayProblem } from '../../shell/gateway-fields.tsx'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'

const EXAMPLE_BODY = '{"hello":"gateway"}'

export function SendThrough({ onSent }: { onSent?(): void }) {
  const [url, setUrl] = useState(activeGateway()?.url ?? '')
  const [path, setPath] = useState('/echo/hello')
  const [isTried, setTried] = useState(false)
  const [isSending, setSending] = useState(false)
  const [failure, setFailure] = useState<{ message: string; curl: string | null } | null>(null)
  const address = trimEndCharacters(url.trim(), '/')
  const problem =
    address === '' ? 'Enter the URL of the gateway.' : gatewayProblem({ name: '', url: address, headers: [] })

  async function submit(): Promise<void> {
    setTried(true)
    if (problem !== null) return
    setSending(true)
    setFailure(null)
    try {
      const { sent } = await send({
        method: 'POST',
        path: path.startsWith('/') ? path : `/${path}`,
        headers: [{ name: 'Content-Type', value: 'application/json' }],
        body: EXAMPLE_BODY,
        gateway: selectGateway(address),
      })
      const arrived = await findArrival(sent)
      if (arrived === null)
        setFailure({
          message: `The gateway responded with ${sent.response?.status ?? 'an error'}, but the request did not reach this instance. Check the upstream of the gateway.`,
          curl: toCurl(sent),
        })
      else {
        go('traffic', { id: arrived.id })
        onSent?.()
      }
    } catch (error) {
      setFailure({ message: explain(error), curl: error instanceof UnreachableError ? toCurl(error.sent) : null })
    }
    setSending(false)
  }

  return (
    <form
      class="send-through stack"
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <div class="send-through-line">
        <TextField
          label="Gateway base URL"
          mono
          placeholder="http://localhost:8000"
          value={url}
          error={isTried ? problem : null}
          onValue={setUrl}
        />
        <TextField label="Path" mono value={path} onValue={setPath} />
        <Button kind="primary" icon="send" type="submit" busy={isSending}>
          Send
        </Button>
      </div>
      {failure && (
        <Notice kind="bad">
          {failure.message}
          {failure.curl && <Code label="curl command" text={failure.curl} wrap />}
        </Notice>
      )}
    </form>
  )
}

/** The gateway with this URL, which becomes the target of the console. */
function selectGateway(url: string): Gateway {
  const { gateways } = settings.peek()
  const known = gateways.find(gateway => gateway.url === url)
  const gateway = known ?? { name: new URL(url).host, url, headers: [] }
  const others = gateways.filter(({ name }) => known !== undefined || name !== gateway.name)
  changeSettings({ gateways: known === undefined ? [...others, gateway] : gateways, target: gateway.name })
  return gateway
}
