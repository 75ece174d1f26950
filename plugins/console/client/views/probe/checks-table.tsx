/** The checks of a run with their results, and those of another report next to them. */
import { Badge, type Tone } from '../../ui/badge.tsx'
import { keyOf, VERDICTS, type Result, type Verdict } from './types.ts'

const TONES: Record<Verdict, Tone> = {
  pass: 'good',
  fail: 'bad',
  warn: 'warn',
  flaky: 'warn',
  error: 'bad',
  note: 'info',
  skip: 'neutral',
}

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  return <Badge tone={TONES[verdict]}>{verdict}</Badge>
}

/** How many checks have each result. */
export function Counters({ results }: { results: readonly Result[] }) {
  if (results.length === 0) return <p class="quiet-text">No results</p>
  return (
    <ul class="probe-counters" aria-label="Results">
      {VERDICTS.map(verdict => {
        const count = results.filter(result => result.verdict === verdict).length
        return (
          count > 0 && (
            <li key={verdict}>
              <strong>{count}</strong> <VerdictBadge verdict={verdict} />
            </li>
          )
        )
      })}
    </ul>
  )
}

export function ChecksTable({
  results,
  before,
  selected,
  onSelect,
}: {
  results: readonly Result[]
  /** Results to compare with, by `keyOf`; null without a comparison. */
  before: ReadonlyMap<string, Verdict> | null
  selected: string | null
  onSelect(key: string): void
}) {
  const hasPairs = results.some(({ pair }) => pair != null)
  return (
    <div class="plain-table-scroll probe-checks" tabIndex={0} role="group" aria-label="Checks, scrollable">
      <table class="plain-table" aria-label="Checks">
        <thead>
          <tr>
            <th scope="col">Check</th>
            {hasPairs && <th scope="col">Pair</th>}
            <th scope="col">Result</th>
            {before !== null && <th scope="col">Before</th>}
          </tr>
        </thead>
        <tbody>
          {inOrder(results).map(result => {
            const key = keyOf(result)
            const old = before?.get(key)
            return (
              <tr
                key={key}
                class={`${key === selected ? 'selected' : ''} ${isChanged(result, before) ? 'changed' : ''}`}
              >
                <th scope="row">
                  <button
                    type="button"
                    class="probe-check"
                    aria-pressed={key === selected}
                    onClick={() => onSelect(key)}
                  >
                    <code>{result.id}</code> {result.protocol === '2' && <Badge>HTTP/2</Badge>}
                    <span>{result.title}</span>
                  </button>
                </th>
                {hasPairs && <td>{result.pair?.replace(':', ' → ') ?? ''}</td>}
                <td>
                  <VerdictBadge verdict={result.verdict} />
                </td>
                {before !== null && <td>{old === undefined ? 'new' : <VerdictBadge verdict={old} />}</td>}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Results of one check follow one another, also while pairs end in another order. */
function inOrder(results: readonly Result[]): readonly Result[] {
  if (results.every(({ pair }) => pair == null)) return results
  const ids = [...new Set(results.map(({ id }) => id))]
  return ids.flatMap(id => results.filter(result => result.id === id))
}

export function isChanged(result: Result, before: ReadonlyMap<string, Verdict> | null): boolean {
  return before !== null && before.get(keyOf(result)) !== result.verdict
}
