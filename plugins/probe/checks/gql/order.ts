/** When subgraphs are asked, and how often. */
import { fail, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import { answerOf, saidBy } from './answers.ts'
import { fetchesAt, fetchesOf } from './fetches.ts'
import { graphCheck } from './graph-check.ts'

const PARALLEL_MS = 400
const SERIAL_MS = 200
/** What the clock of arrivals may be wrong. */
const CLOCK_MS = 5

export const GQL_PARALLEL = graphCheck({
  id: 'GQL-PARALLEL',
  title: 'Fetches overlap',
  level: 'timing',
  page: {
    sent: `A query for two fields of different subgraphs, which each wait ${PARALLEL_MS} ms.`,
    expected: 'The second request arrives before the first was answered.',
    why: 'Fetches that do not depend on each other cost the time of the slowest, unless they are sent one after the other.',
  },
  steps: () => [
    {
      label: 'roots',
      query: '{ users(limit: 1) { id } products(limit: 1) { id } }',
      faults: { users: { delay: PARALLEL_MS }, products: { delay: PARALLEL_MS } },
    },
  ],
  judge(evidence) {
    const call = evidence.call('roots')
    const [first, second] = fetchesOf(call)
    if (first === undefined || second === undefined)
      return skip(`two subgraphs were not asked: ${saidBy(answerOf(call))}`)
    const apart = Math.round(second.startMs - first.startMs)
    if (first.endMs !== null && second.startMs > first.endMs)
      return warn(`${second.subgraph} is asked after ${first.subgraph} has answered: ${apart} ms later`, {
        apart_ms: apart,
      })
    return note(`${apart} ms apart`, { apart_ms: apart })
  },
})

export const GQL_SERIAL = graphCheck({
  id: 'GQL-SERIAL',
  title: 'Mutations in order',
  level: 'must',
  impact: 'high',
  sources: [{ spec: 'GraphQL' }],
  page: {
    sent: `Three mutations, the first and third of \`reviews\`, the second of \`orders\`, which each wait ${SERIAL_MS} ms.`,
    expected: 'Each is sent once the one before was answered, in their order.',
    why: 'A later mutation may depend on an earlier one; at the same time they race.',
  },
  steps: () => [
    {
      label: 'mutations',
      query: `mutation {
        a: addReview(productId: "p1", userId: "u1", rating: 5) { id }
        b: placeOrder(userId: "u1", skus: ["SKU-001"]) { id }
        c: addReview(productId: "p2", userId: "u1", rating: 4) { id }
      }`,
      faults: { reviews: { delay: SERIAL_MS }, orders: { delay: SERIAL_MS } },
    },
  ],
  judge(evidence) {
    const call = evidence.call('mutations')
    const fetches = fetchesOf(call).filter(({ isOfEntities }) => !isOfEntities)
    if (fetches.length === 0) return skip(`no mutation arrived: ${saidBy(answerOf(call))}`)
    const order = fetches.map(({ subgraph }) => subgraph).join(', ')
    const overlap = fetches.findIndex((fetch, index) => {
      const before = fetches[index - 1]
      return before !== undefined && (before.endMs === null || fetch.startMs < before.endMs - CLOCK_MS)
    })
    if (overlap !== -1) return fail(`mutation ${overlap + 1} is sent before mutation ${overlap} was answered: ${order}`)
    return order === 'reviews, orders, reviews' ? pass() : fail(`the order is ${order}, not reviews, orders, reviews`)
  },
})

const FAILURES = ['unavailable', 'reset'] as const
const SHOWN = { unavailable: '503', reset: 'a reset connection' } as const
const MUTATION = 'mutation { addReview(productId: "p1", userId: "u1", rating: 5) { id } }'

export const GQL_RETRY = graphCheck({
  id: 'GQL-RETRY',
  title: 'Mutations are sent once',
  level: 'integrity',
  when: { breaks: true, counts: true },
  page: {
    sent: 'A mutation whose subgraph answers 503, and one whose connection it resets.',
    expected: 'One request to the subgraph each.',
    why: 'The subgraph may have acted before it failed: a second request orders or pays twice.',
  },
  steps: () => FAILURES.map(failure => ({ label: failure, query: MUTATION, faults: { reviews: failure } })),
  judge(evidence) {
    const counts = Object.fromEntries(
      FAILURES.map(failure => [failure, fetchesAt(evidence.call(failure), 'reviews').length]),
    )
    const repeated = FAILURES.filter(failure => counts[failure]! > 1)
    if (repeated.length > 0)
      return fail(repeated.map(failure => `${counts[failure]} times after ${SHOWN[failure]}`).join('; '), counts)
    return Object.values(counts).every(count => count === 0) ? skip('no mutation arrived') : pass('', counts)
  },
})

export const ORDER_CHECKS: readonly Check[] = [GQL_PARALLEL, GQL_SERIAL, GQL_RETRY]
