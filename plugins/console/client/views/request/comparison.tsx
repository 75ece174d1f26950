/** Two captured requests side by side. */
import { compareRequests, isAutomatic, ofEntry } from '../../lib/traffic/compare.ts'
import { formatBytes, formatMs, formatTime, type Entry } from '../../lib/protocol/http.ts'
import { Method, StatusBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextDiff } from './text-diff.tsx'

export function RequestComparison({ first, second, onClose }: { first: Entry; second: Entry; onClose(): void }) {
  // The older request is on the left.
  const [left, right] = first.timestamp <= second.timestamp ? [first, second] : [second, first]
  const { headers, body } = compareRequests(ofEntry(left), ofEntry(right), { isTransit: false })
  // Headers that browsers or connections add come last.
  const different = headers
    .filter(({ kind }) => kind !== 'same')
    .sort((a, b) => Number(isAutomatic(a.name)) - Number(isAutomatic(b.name)))
  const same = headers.length - different.length
  return (
    <div class="request-detail">
      <header class="request-head">
        <div class="request-line">
          <h2>Comparison of two requests</h2>
          <Button class="request-close" icon="close" onClick={onClose}>
            End comparison
          </Button>
        </div>
      </header>
      <div class="request-body">
        <table class="comparison">
          <thead>
            <tr>
              <th scope="col">
                <span class="off-screen">Part</span>
              </th>
              {[left, right].map(entry => (
                <th key={entry.id} scope="col">
                  <Method method={entry.method} /> <span class="hint">{formatTime(entry.timestamp)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Row name="path" values={[left.uri, right.uri]} />
            <tr class={left.status === right.status ? '' : 'changed'}>
              <th scope="row">status</th>
              {[left, right].map(entry => (
                <td key={entry.id}>
                  <StatusBadge status={entry.status} withReason />
                </td>
              ))}
            </tr>
            <Row name="latency" values={[formatMs(left.latency_ms), formatMs(right.latency_ms)]} isPlain />
            <Row name="client" values={[left.client_ip, right.client_ip]} />
            <Row name="session" values={[left.session ?? '', right.session ?? '']} />
            <Row name="version" values={[left.version, right.version]} />
            <Row name="body" values={[formatBytes(left.body_size), formatBytes(right.body_size)]} />
            {different.map(({ name, before, after }) => (
              <Row key={name} name={name} values={[before ?? null, after ?? null]} />
            ))}
          </tbody>
        </table>
        <p class="hint">
          {same} {same === 1 ? 'header is' : 'headers are'} identical.
        </p>
        {body !== null && (
          <section class="request-section">
            <h3>Bodies</h3>
            <TextDiff before={left.body ?? left.body_base64 ?? ''} after={right.body ?? right.body_base64 ?? ''} />
          </section>
        )}
        {body === null && (left.body_truncated || right.body_truncated) && (
          <p class="hint">At least one body was stored only in part, so the bodies are not compared.</p>
        )}
      </div>
    </div>
  )
}

function Row({
  name,
  values,
  isPlain,
}: {
  name: string
  values: readonly [string | null, string | null]
  isPlain?: boolean
}) {
  const isChanged = !isPlain && values[0] !== values[1]
  return (
    <tr class={isChanged ? 'changed' : ''}>
      <th scope="row">
        {isChanged && (
          <span class="sign" title="different">
            ~<span class="off-screen"> different </span>
          </span>
        )}
        {name}
      </th>
      {values.map((value, index) => (
        <td key={index} class="mono">
          {value === null ? <span class="quiet-text">absent</span> : value}
        </td>
      ))}
    </tr>
  )
}
