/** `POST /_svc/verify` with `connections`: connections of TCP and UDP listeners as records. */
import type { ConnectionEntry } from '../contract/connections.ts'
import type { RecordQuery, VerifiedRecords } from '../contract/testing.ts'
import {
  closestConnections,
  type ConnectionTests,
  failedConnectionTests,
  readConnectionTests,
} from '../inspector/connection-verification.ts'
import { selectConnections } from './connection-filters.ts'
import type { ControlDeps } from './deps.ts'

type Deps = Pick<ControlDeps, 'connections' | 'connectionWaits' | 'inspector'>

export function connectionRecords(deps: Deps): VerifiedRecords {
  const { evaluations } = deps.inspector
  return {
    name: 'connections',
    idsAs: 'connections',
    read: (value, at) => queryOf(readConnectionTests(value, at, evaluations.budget()), deps),
  }
}

function queryOf(
  tests: ConnectionTests,
  { connections, connectionWaits, inspector: { evaluations } }: Deps,
): RecordQuery {
  let lookedAt: ConnectionEntry[] = []
  let matching = new Set<ConnectionEntry>()
  return {
    text: 'matching connections',
    async find(session, since) {
      lookedAt = await selectConnections(connections, {
        since,
        matches: entry => session === undefined || entry.session === session,
      })
      matching = new Set()
      await evaluations.run().each(lookedAt, (entry, steps) => {
        if (failedConnectionTests(tests, entry, steps).length === 0) matching.add(entry)
      })
      return [...matching].toReversed().map(({ id }) => id)
    },
    onRecord: (_session, listener) => connectionWaits.listen(listener),
    explain({ isTooMany }) {
      const others = isTooMany ? [] : lookedAt.filter(entry => !matching.has(entry))
      const closest = closestConnections(tests, others, evaluations.budget())
      const [nearest] = closest
      const message =
        nearest === undefined
          ? ''
          : `; the closest is one of ${nearest.listener}, which differs in ${nearest.differences.map(({ at }) => at).join(', ')}`
      return { message, members: { looked_at: lookedAt.length, closest } }
    },
  }
}
