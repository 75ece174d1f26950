/** Badges for tags, HTTP statuses and methods. Their text distinguishes them, not only their color. */
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

/** A status, optionally with its reason phrase. An aborted response is marked as an error, whatever its status. */
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
      title={isBroken ? 'aborted by the instance' : reason || undefined}
    >
      {status}
      {withReason && reason ? ` ${reason}` : ''}
      {isBroken && (
        <span role="img" aria-label="aborted">
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
