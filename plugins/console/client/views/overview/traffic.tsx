/** The rate of requests and errors over the last minutes. */
import { useNow } from '../../lib/shell/hooks.ts'
import { hashOf } from '../../lib/shell/router.ts'
import { formatNumber } from '../../lib/protocol/http.ts'
import { hasFollowed, rates, useLiveFeed } from '../../lib/traffic/live.ts'
import { RateChart } from '../../ui/rate-chart.tsx'
import { Panel } from '../../ui/view.tsx'

const BUCKETS = 60
const SECONDS = 5
/** Seconds that the current rate is an average of. */
const RECENT_SECONDS = 10

export function TrafficPanel() {
  const isKnown = useLiveFeed().kind === 'live' || hasFollowed.value
  const now = useNow(1000)
  const buckets = rates.buckets(now, BUCKETS, SECONDS)
  const [requests, errors] = [totalOf(buckets, 0), totalOf(buckets, 2)]
  const recent = totalOf(rates.buckets(now, RECENT_SECONDS, 1), 0) / RECENT_SECONDS
  return (
    <Panel
      title="Traffic"
      class="overview-traffic"
      actions={
        <a class="button small" href={hashOf('traffic')}>
          See all requests
        </a>
      }
    >
      <ul class="overview-figures">
        <Figure value={isKnown ? formatNumber(Math.round(recent * 10) / 10) : null} name="requests per second" />
        <Figure value={isKnown ? formatNumber(requests) : null} name="in 5 minutes" />
        <Figure
          value={!isKnown ? null : requests === 0 ? '0 %' : `${Math.round((errors / requests) * 1000) / 10} %`}
          name="5xx or aborted"
          isBad={errors > 0}
        />
      </ul>
      <RateChart buckets={buckets} period="the last 5 minutes" isLoading={!isKnown} />
    </Panel>
  )
}

/** A value of null is not known yet. */
function Figure({ value, name, isBad }: { value: string | null; name: string; isBad?: boolean }) {
  return (
    <li aria-busy={value === null}>
      <strong class={isBad ? 'bad-text' : value === null ? 'quiet-text' : ''}>
        {value ?? <span title="Loading">…</span>}
      </strong>
      <span class="hint">{name}</span>
    </li>
  )
}

/** Requests in the buckets, from the outcome with this index on. */
function totalOf(buckets: readonly { counts: readonly number[] }[], firstOutcome: number): number {
  return buckets.reduce((sum, { counts }) => sum + counts.slice(firstOutcome).reduce((a, b) => a + b, 0), 0)
}
