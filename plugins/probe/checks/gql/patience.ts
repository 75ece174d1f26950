/** How long a gateway waits for subgraphs, and whether it waits for nobody. */
import { note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import { answerOf, valueAt } from './answers.ts'
import { fetchesAt } from './fetches.ts'
import { graphCheck } from './graph-check.ts'

const GRACE_S = 2

export const GQL_TIMEOUT = graphCheck({
  id: 'GQL-TIMEOUT',
  title: 'Subgraphs that never answer',
  level: 'timing',
  when: { breaks: true },
  page: {
    sent: 'A query whose subgraph `reviews` never answers.',
    expected: `An answer within \`gql.timeout_s\` and ${GRACE_S} s.`,
    why: 'Without a bound, one subgraph that hangs holds all requests that need it.',
  },
  reasonWithout: ({ settings }) => (settings.timeoutS === null ? 'not configured: gql.timeout_s' : null),
  steps: ({ settings, fresh }) => [
    {
      label: 'silent',
      query: `{ products(limit: 1) { id name ${fresh}: averageRating } }`,
      faults: { reviews: 'silent' },
      more: { timeoutMs: (settings.timeoutS! + GRACE_S) * 1_000 },
    },
  ],
  judge(evidence, { settings }) {
    const call = evidence.call('silent')
    if (fetchesAt(call, 'reviews').length === 0) return skip('reviews was not asked')
    const answer = answerOf(call)
    if (answer.status === null) return warn(`no answer within ${settings.timeoutS! + GRACE_S} s`)
    const seconds = Number(((call.response!.headAtMs - call.record.sentAtMs) / 1_000).toFixed(1))
    const isPartial = typeof valueAt(answer.data, 'products', 0, 'name') === 'string'
    return note(`${seconds} s, ${isPartial ? 'with the other data' : 'without data'}`, { seconds, partial: isPartial })
  },
})

const SLOW_MS = 10_000
const LEAVES_AFTER_MS = 3_000
const OPEN_MS = 5_000

export const GQL_ABORT = graphCheck({
  id: 'GQL-ABORT',
  title: 'The client leaves',
  level: 'hazard',
  page: {
    sent: `A query whose subgraph takes ${SLOW_MS / 1_000} s; the client leaves after ${LEAVES_AFTER_MS / 1_000} s.`,
    expected: `The request to the subgraph ends within ${OPEN_MS / 1_000} s.`,
    why: 'Work for clients that are gone is what keeps an overloaded graph overloaded.',
  },
  steps: ({ fresh }) => [
    {
      label: 'left',
      query: `{ ${fresh}: users(limit: 1) { ${fresh}: id } }`,
      faults: { users: { delay: SLOW_MS } },
      connection: { leaveAfterMs: LEAVES_AFTER_MS, untilEndedMs: OPEN_MS },
    },
  ],
  judge(evidence) {
    const call = evidence.call('left')
    const [fetch] = fetchesAt(call, 'users')
    if (fetch === undefined) return skip('users was not asked before the client left')
    const { ended } = fetch.view.record
    return ended === null || ended === 'kept'
      ? warn(`the request to the subgraph is still open ${OPEN_MS / 1_000} s later`)
      : pass()
  },
})

export const PATIENCE_CHECKS: readonly Check[] = [GQL_TIMEOUT, GQL_ABORT]
