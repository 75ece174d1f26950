/** One captured request in full: what was sent, what became of it, what came back. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { compareRequests, ofEntry, ofSent } from '../../lib/compare.ts'
import { toCurl, toFetch, toHttpFile, type PrintableRequest } from '../../lib/curl.ts'
import { copyText } from '../../lib/clipboard.ts'
import { requestOf, sentOf, urlAt } from '../../lib/gateway.ts'
import { formatBytes, formatMs, type Entry } from '../../lib/http.ts'
import { useKeys } from '../../lib/keys.ts'
import { activeGateway } from '../../lib/storage.ts'
import { Badge, Method, StatusBadge } from '../../ui/badge.tsx'
import { Button, CopyButton } from '../../ui/button.tsx'
import { Facts } from '../../ui/view.tsx'
import { BodyView } from './body.tsx'
import { Flow } from './flow.tsx'
import { GatewayReport } from './gateway-report.tsx'
import { Records } from './records.tsx'
import { ReplayDialog } from './replay.tsx'

export interface RequestDetailProps {
  entry: Entry
  /** The instance has forgotten it. */
  isGone?: boolean
  /** Beside those that every request has. */
  actions?: ComponentChildren
  onClose?(): void
}

/** As it is printed: to the target of the settings, without what belongs to its connection. */
function printable(entry: Entry): PrintableRequest {
  const { method, path, headers = [], body = null } = requestOf(entry)
  return { method, url: urlAt(path, activeGateway()), headers, body }
}

export function RequestDetail({ entry, isGone, actions, onClose }: RequestDetailProps) {
  const [isReplaying, setReplaying] = useState(false)
  const sent = sentOf(entry)
  const comparison = sent && compareRequests(ofSent(sent), ofEntry(entry))
  useKeys({ c: () => void copyText(toCurl(printable(entry))) })

  return (
    <div class="request-detail">
      <header class="request-head">
        <div class="request-line">
          <Method method={entry.method} />
          <h2 class="mono">{entry.path}{entry.query !== null && <span class="quiet-text">?{entry.query}</span>}</h2>
          {onClose && <Button class="request-close" kind="quiet" icon="close" iconOnly onClick={onClose}>Close the request</Button>}
        </div>
        <div class="actions not-presented">
          <CopyButton small text={() => toCurl(printable(entry))}>Copy as curl</CopyButton>
          <CopyButton small text={() => toHttpFile(printable(entry))}>.http</CopyButton>
          <CopyButton small text={() => toFetch(printable(entry))}>fetch</CopyButton>
          <Button small icon="replay" onClick={() => setReplaying(true)}>Replay</Button>
          {actions}
          {isGone && <Badge tone="warn" title="Cleared, or pushed out by newer ones. What is on screen stays.">no longer stored</Badge>}
        </div>
      </header>
      <div class="request-body">
        <Flow entry={entry} sent={sent} comparison={comparison} />
        <GatewayReport entry={entry} comparison={comparison} />
        <BodyView entry={entry} before={comparison?.body?.before ?? null} />
        {sent?.answer && <Answer status={sent.answer.status} ms={sent.answer.ms} headers={sent.answer.headers} />}
        <Records entry={entry} />
        <section class="request-section not-presented">
          <h3>Facts</h3>
          <Facts items={[
            ['Arrived', new Date(entry.timestamp).toLocaleString()],
            ['Head after', formatMs(entry.latency_ms)],
            ['From', <code key="ip">{entry.client_ip}</code>],
            ['Version', entry.version],
            ['Session', entry.session],
            ['Request id', <code key="rid">{entry.request_id}</code>],
            ['Entry', <code key="id">{entry.id}</code>],
            ['Body', `${formatBytes(entry.body_size)}${entry.body_truncated ? ', the first 64 KiB kept' : ''}`],
          ]} />
        </section>
      </div>
      {isReplaying && <ReplayDialog entry={entry} onClose={() => setReplaying(false)} />}
    </div>
  )
}

function Answer({ status, ms, headers }: { status: number; ms: number; headers: { name: string; value: string }[] }) {
  return (
    <section class="request-section">
      <h3>What came back to the console</h3>
      <p><StatusBadge status={status} withReason /> <span class="quiet-text">after {formatMs(ms)}, as far as a browser shows headers</span></p>
      <GatewayReport.List headers={headers} />
    </section>
  )
}
