/** Lists that a gateway keeps for as long as they say, and for whom. */
import { fail, note, pass, skip } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import type { ConnectionSpec } from '../../client/exchange.ts'
import { rpc, rpcResult } from '../json-rpc.ts'
import { mcpCheck } from './mcp-check.ts'
import { ENVELOPE, requestFields, serverOf, STATELESS } from './revisions.ts'

const TTL_MS = 2_000
/** After the last answer, so that it is no longer fresh. */
const STALE_MS = 2_500
/** Separates the arrivals of requests, whose times are those of two clocks. */
const GAP_MS = 250
const CLOCK_MS = 50

/** Of two users. */
type User = 'one' | 'other'

interface Asked {
  label: string
  user: User
  waitMs: number
}

/** Requests for one list, in order. */
interface Series {
  id: 'public' | 'private' | 'none'
  ttlMs: number
  cacheScope: 'public' | 'private'
  asked: readonly Asked[]
}

const SERIES: readonly Series[] = [
  {
    id: 'public',
    ttlMs: TTL_MS,
    cacheScope: 'public',
    asked: [
      { label: 'public', user: 'one', waitMs: 0 },
      { label: 'public, other user', user: 'other', waitMs: GAP_MS },
      { label: 'public, too old', user: 'one', waitMs: STALE_MS },
    ],
  },
  {
    id: 'private',
    ttlMs: TTL_MS,
    cacheScope: 'private',
    asked: [
      { label: 'private', user: 'one', waitMs: STALE_MS },
      { label: 'private, again', user: 'one', waitMs: GAP_MS },
      { label: 'private, other user', user: 'other', waitMs: GAP_MS },
    ],
  },
  {
    id: 'none',
    ttlMs: 0,
    cacheScope: 'public',
    asked: [
      { label: 'no time', user: 'one', waitMs: STALE_MS },
      { label: 'no time, again', user: 'one', waitMs: GAP_MS },
    ],
  },
]

const list = ({ id, ttlMs, cacheScope }: Series): object => ({
  resultType: 'complete',
  tools: [{ name: `probe_${id}`, inputSchema: { type: 'object' } }],
  ttlMs,
  cacheScope,
})

/** Whether the request arrived: the requests of a series have one marker, so time tells which of them did. */
function hasArrived(evidence: Evidence, label: string): boolean {
  const { arrivals, record, response } = evidence.call(label)
  const untilMs = (response?.endAtMs ?? Infinity) + CLOCK_MS
  return arrivals.some(({ record: { head_at_ms: at } }) => at >= record.sentAtMs - CLOCK_MS && at <= untilMs)
}

export const MCP_CACHE = mcpCheck({
  id: 'MCP-CACHE',
  title: 'Lists are cached as they say',
  level: 'other-spec',
  impact: 'high',
  since: '2026.2',
  sources: [{ spec: `MCP ${STATELESS}` }],
  when: { waits: true },
  page: {
    sent: `tools/list by two users, with \`ttlMs\` ${TTL_MS} and \`cacheScope\` "public" and "private", again when its time is over, and with \`ttlMs\` 0.`,
    expected: 'An answer that is used again is still fresh, and is that of the same user if it is private.',
    why: 'Lists of tools depend on what the user may do: one from a cache shows tools to others, or hides those that are new.',
  },
  plan: facts => ({
    inOrder: true,
    connections: SERIES.flatMap(series =>
      series.asked.map(({ label, user, waitMs }): ConnectionSpec => {
        // Where the gateway wants credentials, there is only one user.
        const credential = facts.hasCredentials ? [] : ([['Authorization', `Bearer probe-user-${user}`]] as const)
        const [first] = series.asked
        return {
          delayMs: waitMs,
          requests: [
            rpc(label, 'tools/list', {
              // What is kept of an earlier attempt must not be found again: the cursor is another one.
              params: marker => ({ cursor: marker, _meta: { ...ENVELOPE } }),
              fields: [...requestFields(facts, 'tools/list'), ...credential],
              ...(label === first!.label ? { script: () => rpcResult(list(series)) } : { sameAs: first!.label }),
            }),
          ],
        }
      }),
    ),
  }),
  judge(evidence, facts) {
    const { isStateless, revision } = serverOf(facts)
    if (!isStateless) return skip(`the gateway speaks MCP ${revision}, which has no times of lists`)
    const isReused = (label: string): boolean => !hasArrived(evidence, label)
    if (!hasArrived(evidence, 'public')) return skip('answered by the gateway itself')
    const wrong = [
      ...(isReused('public, too old')
        ? [`a list is used again ${STALE_MS} ms after it came, with ttlMs ${TTL_MS}`]
        : []),
      ...(!facts.hasCredentials && !isReused('private') && isReused('private, other user')
        ? ['a private list is used again for another user']
        : []),
      ...(!isReused('no time') && isReused('no time, again') ? ['a list with ttlMs 0 is used again'] : []),
    ]
    const values = {
      public: isReused('public, other user'),
      private: isReused('private, again'),
      users: facts.hasCredentials ? 1 : 2,
    }
    if (wrong.length > 0) return fail(wrong.join('; '), values)
    return values.public || values.private ? pass('', values) : note('lists are never used again', values)
  },
})
