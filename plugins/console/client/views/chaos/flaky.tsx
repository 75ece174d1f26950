/** Endpoints that fail in predictable ways, with live counters of the current session. */
import { useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { send } from '../../lib/instance/gateway.ts'
import { useAction, useLoad } from '../../lib/shell/hooks.ts'
import { formatNumber } from '../../lib/protocol/http.ts'
import { settings } from '../../lib/shell/storage.ts'
import { StatusBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'

interface Counters {
  session: string
  counters: Record<string, number>
}

/** The kinds of flaky endpoints. Counters have the key `<kind>:<value>`. */
const KINDS = [
  { kind: 'rate', prefix: '/flaky/', label: 'Failure rate (%)', first: '30', pattern: /^(?:100|\d{1,2})$/ },
  {
    kind: 'pattern',
    prefix: '/flaky/pattern/',
    label: 'Pattern (S: success, F: failure)',
    first: 'SSF',
    pattern: /^[sf]{1,64}$/i,
  },
  { kind: 'after', prefix: '/flaky/after/', label: 'Fails after (requests)', first: '5', pattern: /^\d{1,6}$/ },
  { kind: 'recover', prefix: '/flaky/recover/', label: 'Recovers after (requests)', first: '3', pattern: /^\d{1,6}$/ },
] as const

const REFRESH_MS = 1500

export function FlakyPanel({ onUse }: { onUse(path: string): void }) {
  const { value, error, reload } = useLoad(
    signal => callJson<Counters>('flaky/status', { signal }),
    [settings.value.session],
    REFRESH_MS,
  )
  const reset = useAction(async (scope: 'session' | 'all') => {
    await callJson(`flaky/reset?scope=${scope}`, { method: 'POST', admin: scope === 'all' })
    await reload()
  })
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(KINDS.map(({ kind, first }) => [kind, first])),
  )
  const counters = value?.counters ?? {}
  const shown = new Set(KINDS.map(({ kind }) => keyOf(kind, values[kind]!)))
  const others = Object.entries(counters).filter(([key]) => !shown.has(key))

  return (
    <Panel
      title="Flaky endpoints"
      class="chaos-flaky not-presented"
      actions={
        <>
          <Button small icon="replay" busy={reset.isRunning} onClick={() => void reset.run('session')}>
            Reset my session
          </Button>
          <Button small kind="danger" busy={reset.isRunning} onClick={() => void reset.run('all')}>
            Reset all
          </Button>
        </>
      }
    >
      {[error, reset.error].map(text => text !== null && <Notice kind="bad">{text}</Notice>)}
      <ul class="chaos-flaky-list" aria-label="Flaky endpoints">
        {KINDS.map(({ kind, prefix, label, pattern }) => {
          const text = values[kind]!
          return (
            <FlakyLine
              key={kind}
              label={label}
              path={prefix + encodeURIComponent(text)}
              value={text}
              count={value === undefined ? null : (counters[keyOf(kind, text)] ?? 0)}
              isValid={pattern.test(text)}
              onValue={next => setValues({ ...values, [kind]: next.trim() })}
              onUse={onUse}
              onSent={() => void reload()}
            />
          )
        })}
      </ul>
      {others.length > 0 && (
        <p class="chaos-counters">
          {others.map(([key, count]) => (
            <span key={key}>
              <code>{key}</code> {formatNumber(count)}
            </span>
          ))}
        </p>
      )}
      {value && (
        <p class="hint">
          Counters for the session <code>{value.session}</code>. Requests through a gateway count if they carry{' '}
          <code>X-Svc-Session</code>
          {settings.value.session === '' ? ', which you can set in the settings' : ''}.
        </p>
      )}
    </Panel>
  )
}

function keyOf(kind: string, value: string): string {
  return `${kind}:${kind === 'pattern' ? value.toUpperCase() : value.replace(/^0+(?=\d)/, '')}`
}

interface FlakyLineProps {
  label: string
  path: string
  value: string
  /** Null: not loaded yet. */
  count: number | null
  isValid: boolean
  onValue(value: string): void
  onUse(path: string): void
  onSent(): void
}

function FlakyLine({ label, path, value, count, isValid, onValue, onUse, onSent }: FlakyLineProps) {
  const [status, setStatus] = useState<number | null>(null)
  const once = useAction(async () => {
    const { response } = await send({ method: 'GET', path })
    setStatus(response.status)
    onSent()
  })
  return (
    <li>
      <TextField
        mono
        label={label}
        value={value}
        onValue={onValue}
        error={isValid ? null : 'Invalid value for this endpoint.'}
      />
      <span class="chaos-count">
        <strong>{count === null ? '…' : formatNumber(count)}</strong> <span class="quiet-text">so far</span>
        {status !== null && <StatusBadge status={status} />}
      </span>
      <span class="actions">
        <Button
          small
          icon="send"
          disabled={!isValid}
          busy={once.isRunning}
          onClick={() => void once.run()}
          aria-label={`Send one to ${path}`}
        >
          Send one
        </Button>
        <Button small icon="chaos" disabled={!isValid} onClick={() => onUse(path)} aria-label={`Load test ${path}`}>
          Load test
        </Button>
      </span>
      {once.error !== null && <Notice kind="bad">{once.error}</Notice>}
    </li>
  )
}
