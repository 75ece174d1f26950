/** What came back: status, times, headers, the body or its events, and the request as it arrived. */
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
import { MAX_KEPT, type Exchange, type TimedEvent } from './exchange.ts'

export function ResponsePanel({ exchange, onStop }: { exchange: Exchange | null; onStop(): void }) {
  const isRunning = exchange !== null && (exchange.state === 'waiting' || exchange.state === 'receiving')
  const place = useRef<HTMLDivElement>(null)
  const id = exchange?.sent?.id
  // An answer below the edge would go unnoticed.
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
          <Empty title="Nothing sent yet">Send the request, and the answer stands here.</Empty>
        ) : (
          <ExchangeView exchange={exchange} />
        )}
      </Panel>
    </div>
  )
}

function ExchangeView({ exchange }: { exchange: Exchange }) {
  const { state, sent, error, redirectedTo, size, ms } = exchange
  const answer = sent?.answer ?? null
  return (
    <>
      {state === 'waiting' && <Loading what="Waiting for the head of the answer" />}
      {answer && (
        <p class="explorer-facts">
          <StatusBadge status={answer.status} withReason />
          <span title="Until the head of the answer">{formatMs(answer.ms)}</span>
          {exchange.events === null ? (
            <span>{formatBytes(size)}</span>
          ) : (
            <span>{exchange.events.at(-1)?.number ?? 0} events</span>
          )}
          <span class="quiet-text">
            {state === 'receiving' ? `coming in since ${formatMs(ms)}` : `complete after ${formatMs(ms)}`}
          </span>
          {sent?.gateway && <Badge tone="accent">through {sent.gateway}</Badge>}
        </p>
      )}
      {redirectedTo !== null && (
        <Notice>
          The browser followed a redirect to <code>{redirectedTo}</code>; it does not show the answers in between.
        </Notice>
      )}
      {error !== null && <Notice kind={state === 'failed' ? 'bad' : 'info'}>{error}</Notice>}
      {state === 'failed' && sent && <Code label="curl command" text={toCurl(sent)} />}
      {answer && <Tabs key={sent!.id} label="Parts of the answer" tabs={tabsOf(exchange, sent!)} />}
    </>
  )
}

function tabsOf(exchange: Exchange, sent: Sent): Tab[] {
  const { headers } = sent.answer!
  return [
    exchange.events === null
      ? { key: 'body', title: 'Body', content: () => <ResponseBody exchange={exchange} headers={headers} /> }
      : { key: 'events', title: 'Events', content: () => <EventLog events={exchange.events!} /> },
    {
      key: 'headers',
      title: `Headers (${headers.length})`,
      content: () => (
        <>
          <HeaderList label="Headers of the response" headers={headers} />
          <p class="hint">Through another origin a browser shows only the headers that it is allowed to.</p>
        </>
      ),
    },
    { key: 'arrived', title: 'As it arrived', content: () => <Arrival sent={sent} /> },
    { key: 'sent', title: 'As it was sent', content: () => <Code label="curl command" text={toCurl(sent)} /> },
  ]
}

function ResponseBody({
  exchange: { bytes, size, state },
  headers,
}: {
  exchange: Exchange
  headers: Entry['headers']
}) {
  if (size === 0) return state === 'receiving' ? <Loading what="The body comes" /> : <p class="quiet-text">No body.</p>
  if (state === 'receiving') return <Code label="Body so far" text={new TextDecoder().decode(bytes)} wrap />
  return (
    <>
      {size > bytes.length && <Notice>The first {formatBytes(MAX_KEPT)} are shown.</Notice>}
      <BodyView entry={{ headers, ...textOrBytes(bytes), body_size: size, body_truncated: false }} before={null} />
    </>
  )
}

/** As captured bodies have it: text when it is UTF-8, else base64. */
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
    <Loading what="Looking for it in the inspector" />
  ) : (
    <Empty title="Not captured">
      The control plane, the console and bins' lists are never captured; on public instances only requests with a
      session are.
    </Empty>
  )
}
