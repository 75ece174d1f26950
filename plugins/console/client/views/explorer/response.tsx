/** The response: status, times, headers, body or events, and the request as the instance received it. */
import { useEffect, useRef } from 'preact/hooks'
import { findArrival } from '../../lib/traffic/arrival.ts'
import { toCurl } from '../../lib/protocol/curl.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { formatBytes, formatMs, type Entry } from '../../lib/protocol/http.ts'
import type { Sent } from '../../lib/instance/gateway.ts'
import { Badge, StatusBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { HeaderList } from '../../ui/header-list.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Tabs, type Tab } from '../../ui/tabs.tsx'
import { Panel } from '../../ui/view.tsx'
import { BodyView } from '../request/body.tsx'
import { RequestDetail } from '../request/detail.tsx'
import { MAX_KEPT, type LiveExchange, type TimedEvent } from './exchange.ts'

export function ResponsePanel({ exchange, onStop }: { exchange: LiveExchange | null; onStop(): void }) {
  const isRunning = exchange !== null && (exchange.state === 'waiting' || exchange.state === 'receiving')
  const place = useRef<HTMLDivElement>(null)
  const id = exchange?.sent?.id
  // A response below the visible area would go unnoticed.
  useEffect(() => {
    if (id !== undefined) place.current?.scrollIntoView({ block: 'nearest' })
  }, [id])
  return (
    <div ref={place}>
      <Panel
        title="Response"
        actions={
          isRunning && (
            <Button small icon="stop" onClick={onStop}>
              Stop
            </Button>
          )
        }
      >
        {exchange === null ? (
          <Empty title="Nothing sent yet">Send the request to see the response here.</Empty>
        ) : (
          <ExchangeView exchange={exchange} />
        )}
      </Panel>
    </div>
  )
}

function ExchangeView({ exchange }: { exchange: LiveExchange }) {
  const { state, sent, error, redirectedTo, size, ms } = exchange
  const response = sent?.response ?? null
  return (
    <>
      {state === 'waiting' && <Loading what="Waiting for the response headers" />}
      {response && (
        <p class="explorer-facts">
          <StatusBadge status={response.status} withReason />
          <span title="Time to the response headers">{formatMs(response.ms)}</span>
          {exchange.events === null ? (
            <span>{formatBytes(size)}</span>
          ) : (
            <span>{exchange.events.at(-1)?.number ?? 0} events</span>
          )}
          <span class="quiet-text">
            {state === 'receiving' ? `receiving for ${formatMs(ms)}` : `complete after ${formatMs(ms)}`}
          </span>
          {sent?.gateway && <Badge tone="accent">through {sent.gateway}</Badge>}
        </p>
      )}
      {redirectedTo !== null && (
        <Notice>
          The browser followed a redirect to <code>{redirectedTo}</code>. It does not expose the responses in between.
        </Notice>
      )}
      {error !== null && <Notice kind={state === 'failed' ? 'bad' : 'info'}>{error}</Notice>}
      {state === 'failed' && sent && <Code label="curl command" text={toCurl(sent)} />}
      {response && <Tabs key={sent!.id} label="Response parts" tabs={tabsOf(exchange, sent!)} />}
    </>
  )
}

function tabsOf(exchange: LiveExchange, sent: Sent): Tab[] {
  const { headers } = sent.response!
  return [
    exchange.events === null
      ? { key: 'body', title: 'Body', content: () => <ResponseBody exchange={exchange} headers={headers} /> }
      : { key: 'events', title: 'Events', content: () => <EventLog events={exchange.events!} /> },
    {
      key: 'headers',
      title: `Headers (${headers.length})`,
      content: () => (
        <>
          <HeaderList label="Response headers" headers={headers} />
          <p class="hint">For other origins, the browser exposes only the headers that CORS allows.</p>
        </>
      ),
    },
    { key: 'arrived', title: 'Request as received', content: () => <Arrival sent={sent} /> },
    { key: 'sent', title: 'Request as sent', content: () => <Code label="curl command" text={toCurl(sent)} /> },
  ]
}

function ResponseBody({
  exchange: { bytes, size, state },
  headers,
}: {
  exchange: LiveExchange
  headers: Entry['headers']
}) {
  if (size === 0)
    return state === 'receiving' ? <Loading what="Receiving the body" /> : <p class="quiet-text">No body.</p>
  if (state === 'receiving') return <Code label="Body so far" text={new TextDecoder().decode(bytes)} wrap />
  return (
    <>
      {size > bytes.length && <Notice>Only the first {formatBytes(MAX_KEPT)} are shown.</Notice>}
      <BodyView entry={{ headers, ...textOrBytes(bytes), body_size: size, body_truncated: false }} before={null} />
    </>
  )
}

/** In the shape of captured bodies: text if it is valid UTF-8, else base64. */
function textOrBytes(bytes: Uint8Array): Pick<Entry, 'body' | 'body_base64'> {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(bytes), body_base64: null }
  } catch {
    let binary = ''
    for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
    return { body: null, body_base64: btoa(binary) }
  }
}

function EventLog({ events }: { events: readonly TimedEvent[] }) {
  if (events.length === 0) return <Loading what="Waiting for the first event" />
  return (
    <div class="explorer-log" role="log" aria-label="Events" aria-live="off" tabIndex={0}>
      {events.map(({ number, ms, event, id, data }) => (
        <div key={number}>
          <span class="quiet-text">{formatMs(ms)}</span>
          <span>
            <Badge>{event}</Badge>
            {id !== '' && <span class="quiet-text"> id {id}</span>}
          </span>
          <code>{data}</code>
        </div>
      ))}
    </div>
  )
}

function Arrival({ sent }: { sent: Sent }) {
  const { value, error, isLoading, reload } = useLoad(signal => findArrival(sent, signal), [sent.id])
  if (error !== null)
    return (
      <Notice
        kind="bad"
        actions={
          <Button small onClick={() => void reload()}>
            Try again
          </Button>
        }
      >
        {error}
      </Notice>
    )
  if (value) return <RequestDetail entry={value} />
  return isLoading ? (
    <Loading what="Searching the inspector" />
  ) : (
    <Empty title="Not captured">
      Requests to the control plane, the console and the lists of bins are never captured. Public instances capture only
      requests with a session.
    </Empty>
  )
}
