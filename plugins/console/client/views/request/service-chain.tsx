/** The services that a gateway asked before it forwarded a request, and what arrived: one chain. */
import { callJson } from '../../lib/instance/api.ts'
import { formatMs, type Entry } from '../../lib/protocol/http.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { live } from '../../lib/traffic/live.ts'
import { callsOf, decisionTone, missingText } from '../../lib/traffic/services.ts'
import { Badge } from '../../ui/badge.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Nothing while no gateway has asked. The entry of the live feed does not know what came after it, so it is read again. */
export function ServiceChain({ entry }: { entry: Entry }) {
  const entries = live.entries.value
  const isAsked = entry.service !== null || entry.services.length > 0 || entries.some(({ service }) => service !== null)
  const query = entry.session === null ? '' : `?session=${encodeURIComponent(entry.session)}`
  const { value, error } = useLoad(
    async signal =>
      isAsked ? await callJson<Entry>(`_svc/requests/${encodeURIComponent(entry.id)}${query}`, { signal }) : null,
    [entry.id, isAsked],
  )
  if (error !== null) return <Notice>{error}</Notice>
  if (value == null) return null
  const calls = callsOf(value, id => entries.find(one => one.id === id))
  if (calls.length === 0) return null
  const isCall = value.service !== null
  return (
    <section class="request-section request-services" aria-label="Services asked">
      <h3>{isCall ? 'Asked by the gateway' : 'Asked before by the gateway'}</h3>
      <ol class="service-chain">
        {calls.map(({ id, name, policy, decision, reason, ms }) => (
          <li key={id}>
            {isCall ? name : <a href={`#/traffic?id=${id}`}>{name}</a>}{' '}
            <Badge tone={decisionTone(decision)}>{decision}</Badge> <span class="number">{formatMs(ms)}</span>
            {policy !== null && <span class="hint"> policy {policy}</span>}
            {reason !== null && <span class="hint"> {reason}</span>}
          </li>
        ))}
        <li>
          {!isCall ? (
            'arrived'
          ) : value.service!.arrival === null ? (
            <span class="warn-text">{missingText(value.service!.decision)}</span>
          ) : (
            <a href={`#/traffic?id=${value.service!.arrival}`}>arrived</a>
          )}
        </li>
      </ol>
      {isCall && <CheckedRequest checked={value.service!.checked} />}
      {isCall && <Stream service={value.service!} />}
    </section>
  )
}

/** What the gateway asked about. */
function CheckedRequest({ checked }: { checked: NonNullable<Entry['service']>['checked'] }) {
  const { method, host, path, query } = checked
  return (
    <p class="hint">
      about{' '}
      <code>
        {[method, `${host ?? ''}${path}${query === null ? '' : `?${query}`}`].filter(text => text !== '').join(' ')}
      </code>
    </p>
  )
}

/** Of a stream: what the gateway sent, in this order, and what the protocol could not say. */
function Stream({ service: { phases, left_out: leftOut } }: { service: NonNullable<Entry['service']> }) {
  return (
    <>
      {phases !== null && phases.length > 0 && (
        <p class="hint">
          phases{' '}
          {phases.map((phase, index) => (
            <span key={phase}>
              {index > 0 && ', '}
              <code>{phase}</code>
            </span>
          ))}
        </p>
      )}
      {leftOut.length > 0 && <p class="hint">left out: {leftOut.join(', ')}</p>}
    </>
  )
}
