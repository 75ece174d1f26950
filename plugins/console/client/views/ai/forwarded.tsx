/** A request to a model as the instance received it, compared with what was sent. */
import { ApiError, callJson } from '../../lib/instance/api.ts'
import { findArrival } from '../../lib/traffic/arrival.ts'
import { compareRequests, countChanges, ofEntry, ofSent } from '../../lib/traffic/compare.ts'
import type { Sent } from '../../lib/instance/gateway.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import type { Violation } from '../../lib/instance/validation.ts'
import { bodyBytes, headerOf, type Entry } from '../../lib/protocol/http.ts'
import { settings } from '../../lib/shell/storage.ts'
import { Badge, StatusBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Facts } from '../../ui/view.tsx'
import { GatewayReport } from '../request/gateway-report.tsx'
import { Violations } from '../request/violations.tsx'
import { TextDiff } from '../request/text-diff.tsx'

/** The displayed fields of `GET /ai/requests/{id}`. */
interface AiRecord {
  provider: string
  model: string | null
  endpoint: string
  status: number
  fault: string | null
  mode: string | null
  stream: boolean
  credential: string | null
  prompt_tokens: number
  completion_tokens: number
  normalized_prompt: string
  violations: readonly Violation[]
}

const CREDENTIAL_HEADERS = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key']

async function load(sent: Sent, signal: AbortSignal): Promise<{ entry: Entry | null; record: AiRecord | null }> {
  const entry = await findArrival(sent, signal)
  const session = settings.value.session
  const query = session === '' ? '' : `?session=${encodeURIComponent(session)}`
  try {
    return {
      entry,
      record: await callJson<AiRecord>(
        `ai/requests/${encodeURIComponent(entry?.request_id ?? sent.requestId)}${query}`,
        { signal },
      ),
    }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { entry, record: null }
    throw error
  }
}

export function Forwarded({ sent, isOver }: { sent: Sent; isOver: boolean }) {
  const { value, error, isLoading, reload } = useLoad(signal => load(sent, signal), [sent.id, isOver])
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
  if (value === undefined) return isLoading ? <Loading what="Looking up the request" /> : null
  const { entry, record } = value
  if (entry === null && record === null)
    return isOver && !isLoading ? (
      <Empty title="The request did not arrive">A gateway may have answered it from a cache, or rejected it.</Empty>
    ) : (
      <Loading what="Waiting for the response" />
    )
  return (
    <div class="stack">
      {record && <RecordFacts record={record} sent={sent} />}
      {record && <Violations violations={record.violations} />}
      {entry && <Arrival entry={entry} sent={sent} />}
      {record && (
        <section>
          <h3>Prompt as the model sees it</h3>
          <Code label="Normalized prompt" text={record.normalized_prompt} wrap />
        </section>
      )}
    </div>
  )
}

function RecordFacts({ record, sent }: { record: AiRecord; sent: Sent }) {
  const [name, value] = CREDENTIAL_HEADERS.map(header => [header, headerOf(sent.headers, header)] as const).find(
    ([, found]) => found !== null,
  ) ?? ['', null]
  return (
    <Facts
      items={[
        ['Provider', record.model === null ? record.provider : `${record.provider}, ${record.model}`],
        ['Endpoint', <code key="endpoint">{record.endpoint}</code>],
        [
          'Response',
          <>
            <StatusBadge key="status" status={record.status} />{' '}
            {record.fault !== null && <Badge tone="warn">fault {record.fault}</Badge>} {record.mode}
            {record.stream && ', streamed'}
          </>,
        ],
        [
          'Credential sent',
          value === null ? null : (
            <code key="sent">
              {name}: {masked(value)}
            </code>
          ),
        ],
        ['Credential arrived', record.credential === null ? null : <code key="arrived">{record.credential}</code>],
        ['Tokens', `${record.prompt_tokens} in, ${record.completion_tokens} out`],
      ]}
    />
  )
}

/** Masked as in the record: the last four characters are enough to tell keys apart. */
function masked(value: string): string {
  const [scheme, key] = value.includes(' ')
    ? [`${value.slice(0, value.indexOf(' '))} `, value.slice(value.indexOf(' ') + 1)]
    : ['', value]
  return `${scheme}****${key.length > 4 ? key.slice(-4) : ''}`
}

function Arrival({ entry, sent }: { entry: Entry; sent: Sent }) {
  const comparison = compareRequests(ofSent(sent), ofEntry(entry))
  const total = countChanges(comparison)
  return (
    <>
      {total === 0 ? (
        <Notice kind="good">
          The request arrived unchanged{sent.gateway === null ? ', sent directly' : ` through ${sent.gateway}`}.
        </Notice>
      ) : (
        <Notice kind="info" title={`${total} change${total === 1 ? '' : 's'} on the way`}>
          {sent.gateway === null
            ? 'The request was sent directly, so something between this page and the instance changed it.'
            : `Made by ${sent.gateway}.`}
        </Notice>
      )}
      <GatewayReport entry={entry} comparison={comparison} />
      {comparison.body && (
        <section class="request-section">
          <h3>Body</h3>
          <TextDiff
            before={new TextDecoder().decode(comparison.body.before)}
            after={new TextDecoder().decode(bodyBytes(entry))}
          />
        </section>
      )}
    </>
  )
}
