/** How strictly requests are checked, and what vendors would have refused. */
import { callJson } from '../../lib/instance/api.ts'
import type { VendorRule } from '../../lib/instance/validation.ts'
import { formatNumber } from '../../lib/protocol/http.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { hashOf } from '../../lib/shell/router.ts'
import { settings } from '../../lib/shell/storage.ts'
import { Badge } from '../../ui/badge.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import type { Provider } from './setup.ts'

const MAX_RECORDS = 200
const MAX_RULES = 10
const RELOAD_MS = 5000
const TONES = { off: 'neutral', warn: 'info', enforce: 'warn' } as const

export function ValidationPanel({ providers }: { providers: readonly Provider[] }) {
  const { session } = settings.value
  const { value, error } = useLoad(signal => loadViolated(session, signal), [session], RELOAD_MS)
  return (
    <Panel title="Validation" class="validation">
      <ul class="validation-levels" aria-label="Level of each provider">
        {providers.flatMap(({ id, validation }) =>
          validation === undefined
            ? []
            : [
                <li key={id}>
                  {id} <Badge tone={toneOf(validation)}>{validation}</Badge>
                </li>,
              ],
        )}
      </ul>
      {error !== null && <Notice kind="warn">{error}</Notice>}
      {value === undefined ? (
        error === null && <Loading />
      ) : value.length === 0 ? (
        <Empty title="No violations">
          <p>Rules of vendors that requests violate appear here, the most frequent ones first.</p>
        </Empty>
      ) : (
        <RuleTable rules={value} />
      )}
      <Fold title="All rules">{() => <Catalog />}</Fold>
    </Panel>
  )
}

/** All rules of vendors. */
function Catalog() {
  const { value, error } = useLoad(signal => callJson<{ rules: VendorRule[] }>('ai/validation', { signal }), [])
  if (error !== null) return <Notice kind="warn">{error}</Notice>
  if (value === undefined) return <Loading />
  return (
    <div class="plain-table-scroll" tabIndex={0} role="group" aria-label="All rules, scrollable">
      <table class="plain-table" aria-label="All rules">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Refused</th>
            <th scope="col">In</th>
            <th scope="col">Confidence</th>
          </tr>
        </thead>
        <tbody>
          {value.rules.map(({ rule, flavours, condition, confidence }) => (
            <tr key={`${rule} ${flavours.join(' ')}`}>
              <th scope="row">{rule}</th>
              <td>{condition}</td>
              <td>{flavours.join(', ')}</td>
              <td>{confidence}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function toneOf(level: string): (typeof TONES)[keyof typeof TONES] {
  return TONES[level as keyof typeof TONES] ?? 'neutral'
}

interface Violated {
  rule: string
  requests: number
}

/** The rules that the last recorded requests violate, the most frequent ones first. */
async function loadViolated(session: string, signal: AbortSignal): Promise<readonly Violated[]> {
  const own = session === '' ? '' : `&session=${encodeURIComponent(session)}`
  const { requests } = await callJson<{ requests: { violations: string[] }[] }>(
    `ai/requests?violation=*&limit=${MAX_RECORDS}${own}`,
    { signal },
  )
  const counts = new Map<string, number>()
  for (const { violations } of requests) for (const rule of violations) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  return [...counts]
    .map(([rule, count]) => ({ rule, requests: count }))
    .sort((one, other) => other.requests - one.requests || one.rule.localeCompare(other.rule))
    .slice(0, MAX_RULES)
}

function RuleTable({ rules }: { rules: readonly Violated[] }) {
  return (
    <div class="plain-table-scroll" tabIndex={0} role="group" aria-label="Violated rules, scrollable">
      <table class="plain-table" aria-label="Violated rules">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col" class="number">
              Requests
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ rule, requests }) => (
            <tr key={rule}>
              <th scope="row">
                <a href={hashOf('traffic', { filter: `tag:violation:${rule}` })}>{rule}</a>
              </th>
              <td class="number">{formatNumber(requests)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
