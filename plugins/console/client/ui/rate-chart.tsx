/** Requests over time as stacked bars. A part of the time can be selected by dragging. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { OUTCOMES, type Bucket, type Outcome } from '../lib/traffic/rates.ts'
import { formatNumber } from '../lib/protocol/http.ts'

const NAMES: Record<Outcome, string> = { ok: 'below 400', '4xx': '4xx', '5xx': '5xx', aborted: 'aborted' }

export interface RateChartProps {
  buckets: readonly Bucket[]
  /** Such as `the last 5 minutes`. */
  period: string
  onSelect?(from: number, to: number): void
  /** Nothing is counted yet, so that zeros mean nothing. */
  isLoading: boolean
  /** Shown at the end of the caption. */
  controls?: ComponentChildren
}

export function RateChart({ buckets, period, isLoading, onSelect, controls }: RateChartProps) {
  const chart = useRef<SVGSVGElement>(null)
  const [drag, setDrag] = useState<{ start: number; end: number } | null>(null)
  const totals = OUTCOMES.map((_, outcome) => buckets.reduce((sum, { counts }) => sum + counts[outcome]!, 0))
  const all = totals.reduce((sum, total) => sum + total, 0)
  const highest = Math.max(1, ...buckets.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0)))
  const perSecond = (buckets[0]!.to - buckets[0]!.from) / 1000

  const indexAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = chart.current!.getBoundingClientRect()
    return Math.min(buckets.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * buckets.length)))
  }
  const finish = () => {
    if (drag === null) return
    setDrag(null)
    const [first, last] = [Math.min(drag.start, drag.end), Math.max(drag.start, drag.end)]
    onSelect?.(buckets[first]!.from, buckets[last]!.to)
  }

  return (
    <figure class="rate-chart">
      <svg
        ref={chart}
        role="img"
        aria-label={
          isLoading
            ? `Requests in ${period}: loading`
            : `${formatNumber(all)} requests in ${period}: ${describe(totals)}`
        }
        class={onSelect ? 'selectable' : ''}
        viewBox={`0 0 ${buckets.length * 10} 100`}
        preserveAspectRatio="none"
        onPointerDown={event => {
          if (!onSelect || event.button !== 0) return
          chart.current!.setPointerCapture(event.pointerId)
          const at = indexAt(event)
          setDrag({ start: at, end: at })
        }}
        onPointerMove={event => drag && setDrag({ ...drag, end: indexAt(event) })}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(null)}
      >
        {buckets.map(({ from, counts }, index) => {
          let top = 100
          return counts.map((count, outcome) => {
            if (count === 0) return null
            const height = (count / highest) * 100
            top -= height
            return (
              <rect
                key={`${from} ${outcome}`}
                class={`rate-${OUTCOMES[outcome]}`}
                x={index * 10 + 1}
                y={top}
                width={8}
                height={height}
              />
            )
          })
        })}
        {drag && (
          <rect
            class="rate-selection"
            x={Math.min(drag.start, drag.end) * 10}
            y={0}
            width={(Math.abs(drag.end - drag.start) + 1) * 10}
            height={100}
          />
        )}
      </svg>
      <figcaption>
        <ul class="rate-legend">
          {OUTCOMES.map((outcome, index) => (
            <li key={outcome}>
              <span class={`rate-mark rate-${outcome}`} aria-hidden="true" />
              {NAMES[outcome]} <strong>{isLoading ? '…' : formatNumber(totals[index]!)}</strong>
            </li>
          ))}
        </ul>
        <span class="quiet-text">
          {!isLoading && `peak ${formatNumber(Math.round((highest / perSecond) * 10) / 10)}/s, `}
          {period}
        </span>
        {controls}
      </figcaption>
    </figure>
  )
}

function describe(totals: readonly number[]): string {
  return OUTCOMES.map((outcome, index) => `${formatNumber(totals[index]!)} ${NAMES[outcome]}`).join(', ')
}
