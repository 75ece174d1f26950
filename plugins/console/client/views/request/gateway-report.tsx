/** What the gateway did: headers it added, changed or removed, and rewritten paths. */
import { groupByName, type Comparison, type HeaderChange, type ValueChange } from '../../lib/traffic/compare.ts'
import { familyOf } from '../../lib/traffic/families.ts'
import type { Entry, NameValue } from '../../lib/protocol/http.ts'
import { Badge } from '../../ui/badge.tsx'
import { HeaderList, type HeaderLine } from '../../ui/header-list.tsx'

export function GatewayReport({ entry, comparison }: { entry: Pick<Entry, 'headers'>; comparison: Comparison | null }) {
  return comparison === null ? <ByName entry={entry} /> : <ByComparison comparison={comparison} />
}

/** Headers, marked with the family that their names belong to. */
GatewayReport.List = function List({ headers }: { headers: readonly NameValue[] }) {
  return <HeaderList headers={headers.map(({ name, value }) => withFamily({ name, value }))} />
}

function withFamily(line: HeaderLine): HeaderLine {
  const family = familyOf(line.name)
  return family === null ? line : { ...line, note: <Badge tone="accent">{family}</Badge> }
}

function ByComparison({ comparison: { headers, method, path, query } }: { comparison: Comparison }) {
  const of = (kind: HeaderChange['kind']) => headers.filter(change => change.kind === kind)
  const added = of('added')
  const altered = of('changed')
  const removed = of('removed')
  const rewrites = (
    [
      ['method', method],
      ['path', path],
      ['query', query],
    ] as const
  ).filter((item): item is readonly ['method' | 'path' | 'query', ValueChange] => item[1] !== null)
  return (
    <>
      {rewrites.length > 0 && (
        <Section title="Rewritten">
          <HeaderList
            label="Rewritten"
            headers={rewrites.map(([name, { before, after }]) => ({
              name,
              value: after || '(none)',
              before: before || '(none)',
              change: 'changed' as const,
            }))}
          />
        </Section>
      )}
      {altered.length > 0 && (
        <Section title="Changed" count={altered.length}>
          <HeaderList label="Changed headers" headers={altered.map(toLine)} />
        </Section>
      )}
      {removed.length > 0 && (
        <Section title="Removed" count={removed.length}>
          <HeaderList label="Removed headers" headers={removed.map(toLine)} />
        </Section>
      )}
      {added.length > 0 && (
        <Section title="Gateway" count={added.length}>
          <HeaderList label="Gateway headers" headers={added.map(toLine)} />
        </Section>
      )}
      <Section title="Client" count={of('same').length}>
        <HeaderList
          label="Client headers"
          headers={of('same').map(({ name, after = '' }) => ({ name, value: after }))}
        />
      </Section>
      <ConnectionSection headers={of('connection').map(({ name, after = '' }) => ({ name, value: after }))} />
    </>
  )
}

function toLine({ kind, name, before = '', after = '' }: HeaderChange): HeaderLine {
  const line: HeaderLine =
    kind === 'added'
      ? { name, value: after, change: 'added' }
      : kind === 'removed'
        ? { name, value: before, change: 'removed' }
        : { name, value: after, before, change: 'changed' }
  return withFamily(line)
}

function ByName({ entry }: { entry: Pick<Entry, 'headers'> }) {
  const { client, connection, gateway } = groupByName(entry.headers)
  return (
    <>
      {gateway.length > 0 && (
        <Section title="Gateway" count={gateway.length} about="detected by header name">
          <GatewayReport.List headers={gateway} />
        </Section>
      )}
      <Section title="Client" count={client.length}>
        <HeaderList label="Client headers" headers={client} />
      </Section>
      <ConnectionSection headers={connection} />
    </>
  )
}

/** A gateway has its own connection to the instance, so these fields say nothing of the client. */
function ConnectionSection({ headers }: { headers: readonly NameValue[] }) {
  return (
    headers.length > 0 && (
      <Section title="Connection" count={headers.length} about="of the last hop, which is the gateway's own">
        <HeaderList label="Connection headers" headers={headers} />
      </Section>
    )
  )
}

function Section({
  title,
  count,
  about,
  children,
}: {
  title: string
  count?: number
  about?: string
  children: preact.ComponentChildren
}) {
  return (
    <section class={`request-section section-${title.toLowerCase()}`}>
      <h3>
        {title}
        {count !== undefined && <span class="quiet-text"> {count}</span>}{' '}
        {about && <span class="hint not-presented">{about}</span>}
      </h3>
      {children}
    </section>
  )
}
