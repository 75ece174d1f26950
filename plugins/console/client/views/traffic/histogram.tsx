/** The rate of requests above the list. Dragging selects a time, as terms of the filter. */
import { useState } from 'preact/hooks'
import { useNow } from '../../lib/shell/hooks.ts'
import { hasFollowed, rates } from '../../lib/traffic/live.ts'
import { RateChart } from '../../ui/rate-chart.tsx'

const BUCKETS = 60
/** Seconds per bucket, and the name of the whole period. */
const PERIODS = [
  [1, 'minute'],
  [5, '5 minutes'],
  [15, '15 minutes'],
] as const

export function TrafficHistogram({ onSelect }: { onSelect(from: number, to: number): void }) {
  const now = useNow(1000)
  const [seconds, setSeconds] = useState<number>(5)
  const name = PERIODS.find(([width]) => width === seconds)![1]
  return (
    <section class="traffic-histogram panel not-presented" aria-label="Request rate">
      <RateChart
        buckets={rates.buckets(now, BUCKETS, seconds)}
        period={`the last ${name}`}
        isLoading={!hasFollowed.value}
        onSelect={onSelect}
        controls={
          <select
            aria-label="Period"
            value={String(seconds)}
            onChange={event => setSeconds(Number(event.currentTarget.value))}
          >
            {PERIODS.map(([width, title]) => (
              <option key={width} value={String(width)}>{`Last ${title}`}</option>
            ))}
          </select>
        }
      />
    </section>
  )
}
