/** One captured request in full: what was sent, what changed on the way, and the response. */
import { compareRequests, ofEntry, ofSent } from '../../lib/traffic/compare.ts'
import { clientSideOf } from '../../lib/traffic/client-side.ts'
import { sentOf } from '../../lib/instance/gateway.ts'
import { formatBytes, formatMs, type Entry } from '../../lib/protocol/http.ts'
import { endText } from '../../lib/traffic/outcome.ts'
import { HeaderList } from '../../ui/header-list.tsx'
import { Badge, StatusBadge } from '../../ui/badge.tsx'
import { Facts } from '../../ui/view.tsx'
import { BodyView } from './body.tsx'
import { ClientSideChoice } from './client-side-choice.tsx'
import { Flow } from './flow.tsx'
import { GatewayReport } from './gateway-report.tsx'
import { RequestHead, type RequestHeadProps } from './head.tsx'
import { Records } from './records.tsx'
import { EntryViolations } from './violations.tsx'

/** What named the session, by `session_from`. */
const SESSION_FROM = {
  path: 'the path /s/<name>',
  header: 'X-Svc-Session',
  baggage: 'baggage',
  key: 'the API key',
} as const satisfies Record<NonNullable<Entry['session_from']>, string>

export function RequestDetail({ entry, ...head }: Omit<RequestHeadProps, 'request'> & { entry: Entry }) {
  const sent = sentOf(entry)
  const side = sent === null ? clientSideOf(entry.id) : null
  const before = sent === null ? (side?.request ?? null) : ofSent(sent)
  const comparison = before && compareRequests(before, ofEntry(entry))

  return (
    <div class="request-detail">
      <RequestHead {...head} request={entry} />
      <div class="request-body" role="group" aria-label="Details" tabIndex={0}>
        <Flow entry={entry} sent={sent} side={side} comparison={comparison} />
        {sent === null && <ClientSideChoice entry={entry} side={side} />}
        <EntryViolations entry={entry} />
        <GatewayReport entry={entry} comparison={comparison} />
        <BodyView entry={entry} before={comparison?.body?.before ?? null} />
        <ResponseSection entry={entry} />
        {sent?.response && (
          <ReceivedSection status={sent.response.status} ms={sent.response.ms} headers={sent.response.headers} />
        )}
        <Records entry={entry} />
        <section class="request-section not-presented">
          <h3>Facts</h3>
          <Facts
            items={[
              ['Target', <code key="uri">{entry.uri}</code>],
              ['Arrived', new Date(entry.timestamp).toLocaleString()],
              ['Time to headers', formatMs(entry.latency_ms)],
              ['Response', endText(entry)],
              entry.end_reason !== null && ['Reason', entry.end_reason],
              entry.fault !== null && [
                'Fault',
                <>
                  <code>{entry.fault_source}</code> {entry.fault_origin !== null && <Badge>{entry.fault_origin}</Badge>}
                </>,
              ],
              entry.rule !== null && ['Rule', <code key="rule">{entry.rule}</code>],
              ['Route', entry.route === null ? 'none' : <code key="route">{entry.route}</code>],
              entry.plugin !== null && ['Plugin', entry.plugin],
              entry.grpc_status !== null && ['gRPC status', String(entry.grpc_status)],
              entry.replica !== undefined && ['Replica', <code key="replica">{entry.replica}</code>],
              ['From', <code key="ip">{entry.client_ip}</code>],
              ['Version', entry.version],
              [
                'Session',
                entry.session && (
                  <>
                    {entry.session}{' '}
                    {entry.session_from !== null && <Badge>{`from ${SESSION_FROM[entry.session_from]}`}</Badge>}
                  </>
                ),
              ],
              ['Request ID', <code key="rid">{entry.request_id}</code>],
              entry.trace && ['Trace', <code key="trace">{entry.trace.trace_id}</code>],
              ['Entry ID', <code key="id">{entry.id}</code>],
              ['Body', `${formatBytes(entry.body_size)}${entry.body_truncated ? ', first 64 KiB stored' : ''}`],
            ]}
          />
        </section>
      </div>
    </div>
  )
}

/** The response as the instance sent it. */
function ResponseSection({ entry }: { entry: Entry }) {
  const { response_headers: headers, bytes_sent: size } = entry
  if (headers === null) return null
  const kept = (entry.response_body ?? entry.response_body_base64) !== null
  return (
    <section class="request-section section-response" aria-label="Sent by the instance">
      <h3>
        Response <StatusBadge status={entry.status} ended={entry.ended} withReason />{' '}
        <span class="quiet-text">{headers.length} headers</span>
      </h3>
      {entry.end_reason !== null && <p class="warn-text">{entry.end_reason}</p>}
      <HeaderList label="Response headers" headers={headers} />
      {kept && (
        <BodyView
          title="Response body"
          entry={{
            headers,
            body: entry.response_body,
            body_base64: entry.response_body_base64,
            body_size: size,
            body_truncated: entry.response_body_truncated,
          }}
          before={null}
        />
      )}
    </section>
  )
}

function ReceivedSection({
  status,
  ms,
  headers,
}: {
  status: number
  ms: number
  headers: { name: string; value: string }[]
}) {
  return (
    <section class="request-section not-presented">
      <h3>Response received by the console</h3>
      <p>
        <StatusBadge status={status} withReason />{' '}
        <span class="quiet-text">after {formatMs(ms)}; the browser may hide some headers</span>
      </p>
      <GatewayReport.List headers={headers} />
    </section>
  )
}
