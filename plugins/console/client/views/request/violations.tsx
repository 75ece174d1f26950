/** The rules of vendors that a request violates: what they would answer, and how that is known. */
import { ApiError, callJson } from '../../lib/instance/api.ts'
import { ENFORCE, meaningOf, type VendorRule, type Violation } from '../../lib/instance/validation.ts'
import type { Entry } from '../../lib/protocol/http.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { violationsOf } from '../../lib/traffic/tags.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/button.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'

/** The violations of a captured request, from its record. */
export function EntryViolations({ entry }: { entry: Entry }) {
  const rules = violationsOf(entry)
  const query = entry.session === null ? '' : `?session=${encodeURIComponent(entry.session)}`
  const { value, error } = useLoad(
    async signal => (rules.length === 0 ? [] : await load(encodeURIComponent(entry.request_id) + query, signal)),
    [entry.request_id, rules.length],
  )
  if (rules.length === 0) return null
  if (error !== null) return <Notice>{error}</Notice>
  if (value === undefined) return <Loading />
  return value === null ? (
    <Notice kind="warn" title="A real vendor would have refused this">
      The record is no longer kept. Violated rules: {rules.join(', ')}.
    </Notice>
  ) : (
    <Violations violations={value} />
  )
}

/** Null: there is no record. */
async function load(id: string, signal: AbortSignal): Promise<readonly Violation[] | null> {
  try {
    return (await callJson<{ violations: Violation[] }>(`ai/requests/${id}`, { signal })).violations
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

export function Violations({ violations }: { violations: readonly Violation[] }) {
  if (violations.length === 0) return null
  return (
    <section class="request-section request-violations" aria-label="Violations">
      <h3>
        Violations <span class="quiet-text">{violations.length}</span>{' '}
        <CopyButton small kind="quiet" text={ENFORCE} title={ENFORCE}>
          Copy the header that refuses
        </CopyButton>
      </h3>
      <ul class="stack" aria-label="Violations">
        {violations.map((violation, index) => (
          <li key={`${violation.rule} ${index}`}>
            <p>
              <Badge tone={violation.refused ? 'bad' : 'warn'}>{violation.refused ? 'refused' : 'violation'}</Badge>{' '}
              {meaningOf(violation)}
            </p>
            <Fold
              title={
                <>
                  <code>{violation.rule}</code>
                  {violation.at !== '' && (
                    <>
                      {' '}
                      at <code>{violation.at}</code>
                    </>
                  )}
                  , {violation.confidence}
                </>
              }
            >
              {() => <Sources rule={violation.rule} />}
            </Fold>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Sources({ rule }: { rule: string }) {
  const { value, error } = useLoad(
    signal => callJson<VendorRule>(`ai/validation/${encodeURIComponent(rule)}`, { signal }),
    [rule],
  )
  if (error !== null) return <Notice>{error}</Notice>
  if (value === undefined) return <Loading />
  return (
    <>
      <p>{value.condition}</p>
      <ul aria-label="Sources">
        {value.sources.map(({ title, url }) => (
          <li key={title}>
            {url === undefined ? (
              title
            ) : (
              <a href={url} target="_blank" rel="noreferrer">
                {title}
              </a>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
