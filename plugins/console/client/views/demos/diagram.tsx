/** Client, gateway and svc with what passes between them, as it happens. */
import { totalOf, type Statuses, type StepState } from './run-state.ts'

export function Diagram({
  step,
  lanes,
  isDirect,
}: {
  step: StepState | null
  lanes: readonly string[]
  isDirect: boolean
}) {
  const responses = step?.responses ?? {}
  // Without lanes, all arrivals belong to one upstream.
  const upstreams = lanes.length === 0 ? [''] : lanes
  const arrivals = (lane: string): Statuses => step?.arrivals[lane] ?? {}
  const unknown = totalOf(step?.arrivals[''] ?? {})
  const shown = lanes.length > 0 && unknown > 0 ? [...lanes, ''] : upstreams
  return (
    <div class={isDirect ? 'present-diagram present-direct' : 'present-diagram'} role="group" aria-label="Traffic">
      <Node title="Client" />
      <Wire there={{ label: 'sent', count: step?.sent ?? 0 }} back={{ label: 'came back', statuses: responses }} />
      {!isDirect && (
        <>
          <Node title="Gateway" />
          <ul class="present-upstreams">
            {shown.map(lane => (
              <li key={lane}>
                <Wire
                  there={{ label: 'arrived', count: totalOf(arrivals(lane)) }}
                  back={{ label: 'answered', statuses: arrivals(lane) }}
                />
                <Node title={lane === '' ? 'svc' : `svc, ${lane}`} />
              </li>
            ))}
          </ul>
        </>
      )}
      {isDirect && <Node title="svc" />}
    </div>
  )
}

function Node({ title }: { title: string }) {
  return <p class="present-node">{title}</p>
}

function Wire({
  there,
  back,
}: {
  there: { label: string; count: number }
  back: { label: string; statuses: Statuses }
}) {
  const answered = Object.entries(back.statuses)
  return (
    <div class="present-wire">
      {/* A new key restarts the movement of the arrow. */}
      <p key={`there ${there.count}`} class={there.count > 0 ? 'present-arrow there moving' : 'present-arrow there'}>
        <span>{there.count}</span> {there.label}
      </p>
      <p
        key={`back ${totalOf(back.statuses)}`}
        class={answered.length > 0 ? 'present-arrow back moving' : 'present-arrow back'}
      >
        <span>
          {answered.length === 0
            ? '–'
            : answered.map(([status, count]) => <Status key={status} {...{ status, count }} />)}
        </span>{' '}
        {back.label}
      </p>
    </div>
  )
}

function Status({ status, count }: { status: string; count: number }) {
  const tone = /^[23]/.test(status) ? 'good' : status.startsWith('4') ? 'warn' : 'bad'
  return (
    <span class={`present-status ${tone}`}>
      {status}
      {count > 1 && <small> × {count}</small>}
    </span>
  )
}
