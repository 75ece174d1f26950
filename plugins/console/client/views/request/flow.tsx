/** The three stages of a request: what the client sent, what the gateway changed, and the response. */
import { countChanges, groupByName, type Comparison } from '../../lib/traffic/compare.ts'
import type { ClientSide } from '../../lib/traffic/client-side.ts'
import { pageGateway } from '../../lib/instance/page-gateway.ts'
import type { Sent } from '../../lib/instance/gateway.ts'
import { formatBytes, formatMs, headerOf, type Entry } from '../../lib/protocol/http.ts'
import { endText, faultText } from '../../lib/traffic/outcome.ts'
import { Badge, Method, StatusBadge } from '../../ui/badge.tsx'

export interface FlowProps {
  entry: Entry
  /** What the console sent; null: another client did. */
  sent: Sent | null
  /** What was chosen as the client's request, if another client sent it. */
  side: ClientSide | null
  comparison: Comparison | null
}

export function Flow({ entry, sent, side, comparison }: FlowProps) {
  return (
    <ol class="flow" aria-label="Request flow">
      <li>
        <h3>Client sent</h3>
        <ClientStage entry={entry} sent={sent} side={side} />
      </li>
      <li>
        <h3>Gateway changed</h3>
        {comparison === null ? (
          <GuessedStage entry={entry} />
        ) : (
          <ComparedStage comparison={comparison} through={throughText(sent, side)} />
        )}
      </li>
      <li>
        <h3>Response</h3>
        <BackStage entry={entry} sent={sent} />
      </li>
    </ol>
  )
}

/** Null: the request took no gateway. */
function throughText(sent: Sent | null, side: ClientSide | null): string | null {
  if (side !== null) return `compared with ${side.source}`
  const gateway = sent?.gateway ?? pageGateway.value?.host
  return gateway === undefined ? null : `through ${gateway}`
}

function ClientStage({ entry, sent, side }: { entry: Entry; sent: Sent | null; side: ClientSide | null }) {
  if (sent !== null) {
    const { pathname, search, host } = new URL(sent.url)
    return (
      <>
        <p class="flow-main flow-line">
          <Method method={sent.method} />{' '}
          <code>
            {pathname}
            {search}
          </code>
        </p>
        <p class="hint">
          sent by this console to <code>{host}</code> with {sent.headers.length} headers
        </p>
      </>
    )
  }
  if (side !== null)
    return (
      <>
        <p class="flow-main flow-line">
          <Method method={side.request.method} /> <code>{side.request.uri}</code>
        </p>
        <p class="hint">{side.source}</p>
      </>
    )
  return (
    <>
      <p class="flow-main">
        <code>{entry.client_ip}</code>
      </p>
      <p class="hint ellipsis-2">{headerOf(entry.headers, 'user-agent') ?? 'no user agent'}</p>
      {entry.body_size > 0 && <p class="hint">body of {formatBytes(entry.body_size)}</p>}
    </>
  )
}

function ComparedStage({ comparison, through }: { comparison: Comparison; through: string | null }) {
  const count = (kind: 'added' | 'removed' | 'changed') =>
    comparison.headers.filter(change => change.kind === kind).length
  const total = countChanges(comparison)
  const signs = [
    ['added', '+', 'good'],
    ['removed', '−', 'bad'],
    ['changed', '~', 'warn'],
  ] as const
  return (
    <>
      <p class="flow-main">
        {total === 0 ? 'Nothing: it arrived as sent' : `${total} change${total === 1 ? '' : 's'}`}
      </p>
      <p class="actions">
        {signs.map(
          ([kind, sign, tone]) =>
            count(kind) > 0 && (
              <Badge key={kind} tone={tone}>
                {sign}
                {count(kind)} {kind}
              </Badge>
            ),
        )}
        {comparison.path && <Badge tone="warn">~ path</Badge>}
        {comparison.query && <Badge tone="warn">~ query</Badge>}
        {comparison.method && <Badge tone="warn">~ method</Badge>}
        {comparison.body && <Badge tone="warn">~ body</Badge>}
      </p>
      <p class="hint">{through ?? 'sent directly, without a gateway'}</p>
    </>
  )
}

function GuessedStage({ entry }: { entry: Entry }) {
  const { gateway } = groupByName(entry.headers)
  const families = [...new Set(gateway.map(({ family }) => family))]
  if (families.length === 0)
    return (
      <>
        <p class="flow-main">No gateway detected</p>
        <p class="hint">No headers that gateways usually add</p>
      </>
    )
  return (
    <>
      <p class="flow-main">
        {gateway.length} header{gateway.length === 1 ? '' : 's'}
      </p>
      <p class="actions">
        {families.map(family => (
          <Badge key={family} tone="accent">
            {family}
          </Badge>
        ))}
      </p>
    </>
  )
}

function BackStage({ entry, sent }: { entry: Entry; sent: Sent | null }) {
  const response = sent?.response ?? null
  const isOther = response !== null && response.status !== entry.status
  return (
    <>
      <p class="flow-main">
        <StatusBadge status={entry.status} ended={entry.ended} withReason />{' '}
        <span class="number">{formatMs(entry.latency_ms)}</span>
      </p>
      {response !== null && (
        <p class={isOther ? 'bad-text' : 'hint'}>
          client received {isOther ? <StatusBadge status={response.status} /> : 'it'} after {formatMs(response.ms)}
        </p>
      )}
      {entry.fault !== null && <p class="warn-text">{faultText(entry)}</p>}
      {entry.fault === null && entry.end_reason !== null && <p class="warn-text">{entry.end_reason}</p>}
      <p class={entry.ended === 'aborted' ? 'bad-text' : 'hint'}>{endText(entry)}</p>
    </>
  )
}
