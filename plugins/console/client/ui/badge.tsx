/** Small marks: a tag, an HTTP status, a method. None is told apart by its color alone. */
import type { ResponseEnd } from 'svc/plugin'
import type { ComponentChildren } from 'preact'
import { reasonPhrase, statusClass } from '../lib/protocol/http.ts'
import type { Tone } from '../lib/traffic/tags.ts'

export type { Tone }

export function Badge({
  tone = 'neutral',
  children,
  title,
}: {
  tone?: Tone
  children: ComponentChildren
  title?: string
}) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  )
}

const STATUS_TONES = { '1xx': 'info', '2xx': 'good', '3xx': 'info', '4xx': 'warn', '5xx': 'bad' } as const

function statusTone(status: number): Tone {
  return STATUS_TONES[statusClass(status)]
}

/** The number, with the phrase when there is room for it. One whose answer was broken off is no success. */
export function StatusBadge({
  status,
  ended,
  withReason,
}: {
  status: number
  ended?: ResponseEnd
  withReason?: boolean
}) {
  const reason = reasonPhrase(status)
  const isBroken = ended === 'aborted'
  return (
    <span
      class={`badge status ${isBroken ? 'bad' : statusTone(status)}`}
      title={isBroken ? 'broken off by the instance' : reason || undefined}
    >
      {status}
      {withReason && reason ? ` ${reason}` : ''}
      {isBroken && (
        <span role="img" aria-label="broken off">
          {' '}
          ✕
        </span>
      )}
    </span>
  )
}

export function Method({ method }: { method: string }) {
  return (
    <span class={`method ${/^(?:GET|POST|PUT|PATCH|DELETE)$/.test(method) ? method.toLowerCase() : ''}`}>{method}</span>
  )
}
