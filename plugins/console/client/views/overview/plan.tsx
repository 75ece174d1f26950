/** Usage of the plan. */
import { callJson } from '../../lib/instance/api.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { formatBytes, formatDuration, formatNumber } from '../../lib/protocol/http.ts'
import { settings } from '../../lib/shell/storage.ts'
import { Badge } from '../../ui/badge.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'

interface Usage {
  plan: string
  active: boolean
  scope: 'instance' | 'session'
  session?: string
  period: { kind: string; resets_in_secs: number }
  requests: { used: number; limit: number | null }
  egress: { used_bytes: number; limit_bytes: number | null }
  rate: { rps: number | null; burst: number | null; available: number | null }
  in_flight: { current: number; limit: number | null }
  open_streams: { current: number; limit: number | null; lifetime_secs: number | null }
}

const REFRESH_MS = 5000

export function PlanPanel() {
  const { value: usage, error } = useLoad(
    signal => callJson<Usage>('_svc/usage', { signal }),
    [settings.value.session],
    REFRESH_MS,
  )
  return (
    <Panel
      title="Plan"
      class="overview-plan"
      actions={usage && <Badge tone={usage.active ? 'accent' : 'neutral'}>{usage.plan}</Badge>}
    >
      {error && <Notice kind="warn">{error}</Notice>}
      {usage === undefined ? (
        !error && <Loading />
      ) : usage.active ? (
        <Meters usage={usage} />
      ) : (
        <p class="quiet-text">
          No limits apply. Set <code>SVC_PLAN</code> or <code>SVC_LIMIT_*</code> to limit requests. Each rejection has
          the header <code>X-Svc-Limit</code>, so you can tell it from a rejection by a gateway.
        </p>
      )}
    </Panel>
  )
}

function Meters({
  usage: { scope, session, period, requests, egress, rate, in_flight: inFlight, open_streams: streams },
}: {
  usage: Usage
}) {
  const count = (used: number, limit: number | null) =>
    `${formatNumber(used)}${limit === null ? '' : ` of ${formatNumber(limit)}`}`
  return (
    <>
      <p class="quiet-text">
        Counted{' '}
        {scope === 'session' ? (
          <>
            for <code>{session}</code>
          </>
        ) : (
          'for the whole instance'
        )}
        . The {period.kind} ends in {formatDuration(period.resets_in_secs)}.
      </p>
      <Meter label="Requests" value={requests.used} max={requests.limit} text={count(requests.used, requests.limit)} />
      <Meter
        label="Egress"
        value={egress.used_bytes}
        max={egress.limit_bytes}
        text={`${formatBytes(egress.used_bytes)}${egress.limit_bytes === null ? '' : ` of ${formatBytes(egress.limit_bytes)}`}`}
      />
      {rate.rps !== null && (
        <Meter
          label="Burst remaining"
          value={rate.available ?? 0}
          max={rate.burst || rate.rps}
          text={`${count(rate.available ?? 0, rate.burst || rate.rps)}, ${formatNumber(rate.rps)} per second`}
          isFullGood
        />
      )}
      <Meter
        label="In flight"
        value={inFlight.current}
        max={inFlight.limit}
        text={count(inFlight.current, inFlight.limit)}
      />
      <Meter
        label="Open streams"
        value={streams.current}
        max={streams.limit}
        text={count(streams.current, streams.limit)}
      />
    </>
  )
}
