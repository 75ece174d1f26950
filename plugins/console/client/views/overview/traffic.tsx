/** The rate of requests and errors over the last minutes. */
import { useNow } from '../../lib/shell/hooks.ts'
import { hashOf } from '../../lib/shell/router.ts'
import { formatNumber } from '../../lib/protocol/http.ts'
import { rates, useLiveFeed } from '../../lib/traffic/live.ts'
import { RateChart } from '../../ui/rate-chart.tsx'
import { Panel } from '../../ui/view.tsx'

const BUCKETS = 60
const SECONDS = 5
/** Seconds that the current rate is an average of. */
const RECENT_SECONDS = 10

export function TrafficPanel() {
  useLiveFeed()
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
        <Figure value={formatNumber(Math.round(recent * 10) / 10)} name="requests per second" />
        <Figure value={formatNumber(requests)} name="in 5 minutes" />
        <Figure
          value={requests === 0 ? '0 %' : `${Math.round((errors / requests) * 1000) / 10} %`}
          name="5xx or aborted"
          isBad={errors > 0}
        />
      </ul>
      <RateChart buckets={buckets} period="the last 5 minutes" />
    </Panel>
  )
}

function Figure({ value, name, isBad }: { value: string; name: string; isBad?: boolean }) {
  return (
    <li>
      <strong class={isBad ? 'bad-text' : ''}>{value}</strong>
      <span class="hint">{name}</span>
    </li>
  )
}

/** Requests in the buckets, from the outcome with this index on. */
function totalOf(buckets: readonly { counts: readonly number[] }[], firstOutcome: number): number {
  return buckets.reduce((sum, { counts }) => sum + counts.slice(firstOutcome).reduce((a, b) => a + b, 0), 0)
}
