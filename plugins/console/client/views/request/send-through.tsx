/** Sends one request through a gateway, and opens what arrived compared with what was sent. */
import { useState } from 'preact/hooks'
import { explain } from '../../lib/instance/api.ts'
import { send, UnreachableError } from '../../lib/instance/gateway.ts'
import { addressProblem, completeAddress } from '../../lib/instance/gateway-address.ts'
import { toCurl } from '../../lib/protocol/curl.ts'
import { go } from '../../lib/shell/router.ts'
import { activeGateway, changeSettings, settings, type Gateway } from '../../lib/shell/storage.ts'
import { findArrival } from '../../lib/traffic/arrival.ts'
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
  const [failure, setFailure] = useState<{ title: string; message: string; curl: string | null } | null>(null)
  const problem = url.trim() === '' ? 'Enter the URL of the gateway.' : addressProblem(url)

  async function submit(): Promise<void> {
    setTried(true)
    if (problem !== null) return
    const gateway = gatewayAt(completeAddress(url))
    setUrl(gateway.url)
    setSending(true)
    setFailure(null)
    try {
      const { sent } = await send({
        method: 'POST',
        path: path.startsWith('/') ? path : `/${path}`,
        headers: [{ name: 'Content-Type', value: 'application/json' }],
        body: EXAMPLE_BODY,
        gateway,
      })
      const arrived = await findArrival(sent)
      if (arrived === null)
        setFailure({
          title: 'It did not arrive',
          message: `The gateway responded with ${sent.response?.status ?? 'an error'}, but the request did not reach this instance. Check the upstream of the gateway.`,
          curl: toCurl(sent),
        })
      else {
        selectGateway(gateway)
        go('traffic', { id: arrived.id })
        onSent?.()
      }
    } catch (error) {
      setFailure(
        error instanceof UnreachableError
          ? {
              title: `No response from ${new URL(gateway.url).host}`,
              message: `Start it, or let it allow the origin ${location.origin} (CORS).`,
              curl: toCurl(error.sent),
            }
          : { title: 'The request was not sent', message: explain(error), curl: null },
      )
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
        <Notice kind="bad" title={failure.title}>
          {failure.message}
          {failure.curl && (
            <details>
              <summary>Show the curl command</summary>
              <Code label="curl command" text={failure.curl} wrap />
            </details>
          )}
        </Notice>
      )}
    </form>
  )
}

/** The known gateway with this URL, otherwise a new one. */
function gatewayAt(url: string): Gateway {
  return settings.peek().gateways.find(gateway => gateway.url === url) ?? { name: new URL(url).host, url, headers: [] }
}

/** Makes a gateway the target of the console; only one that forwards to the instance, since all views then use it. */
function selectGateway(gateway: Gateway): void {
  const { gateways } = settings.peek()
  changeSettings({
    gateways: gateways.includes(gateway)
      ? gateways
      : [...gateways.filter(({ name }) => name !== gateway.name), gateway],
    target: gateway.name,
  })
}
