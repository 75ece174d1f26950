/** The chart of a step: shares of statuses or lanes, times of answers, or a number. */
import { totalOf, type StepState } from './run-state.ts'

export function StepChart({ step }: { step: StepState }) {
  switch (step.chart) {
    case 'lanes':
      return <Shares label="Arrivals by lane" counts={countsByLane(step)} />
    case 'status':
    case 'rate':
      return <Shares label="Answers by status" counts={step.responses} />
    case 'latency':
      return <Times times={step.times} />
    case 'tokens':
      return <p class="present-number">{step.tokens} tokens in the answers</p>
    default:
      return null
  }
}

function countsByLane({ arrivals }: StepState): Record<string, number> {
  return Object.fromEntries(Object.entries(arrivals).map(([lane, statuses]) => [lane || 'svc', totalOf(statuses)]))
}

function Shares({ label, counts }: { label: string; counts: Readonly<Record<string, number>> }) {
  const total = totalOf(counts)
  return (
    <figure class="present-chart" aria-label={label}>
      {Object.entries(counts).map(([name, count]) => (
        <div key={name} class="present-bar">
          <span>{name}</span>
          <meter min={0} max={total} value={count} aria-label={name} />
          <span>
            {count} ({Math.round((count / total) * 100)} %)
          </span>
        </div>
      ))}
    </figure>
  )
}

const WIDTH = 600
const HEIGHT = 120

/** Each answer as a point, in the order in which they came. */
function Times({ times }: { times: readonly number[] }) {
  const longest = Math.max(1, ...times)
  const points = times.map(
    (ms, index) => [((index + 0.5) / times.length) * WIDTH, HEIGHT - (ms / longest) * (HEIGHT - 10)] as const,
  )
  return (
    <figure class="present-chart" aria-label="Time of answers">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${times.length} answers, at most ${longest} ms`}>
        {points.map(([x, y], index) => (
          <circle key={index} cx={x} cy={y} r={5} />
        ))}
      </svg>
      <figcaption>at most {longest} ms</figcaption>
    </figure>
  )
}
