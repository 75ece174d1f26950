/** What becomes of errors, nulls and wrong values of subgraphs. */
import { isRecord } from 'svc/toolkit'
import { fail, note, pass, skip, warn, worst, type Check, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { answerOf, listAt, saidBy, valueAt } from './answers.ts'
import { fetchesAt } from './fetches.ts'
import { graphCheck, type GraphStep } from './graph-check.ts'

const MESSAGE = 'probe: ratings are down'
const CODE = 'PROBE_RATINGS_DOWN'

export const GQL_ERRPATH = graphCheck({
  id: 'GQL-ERRPATH',
  title: 'Errors at their place',
  level: 'other-spec',
  sources: [{ spec: 'GraphQL' }],
  page: {
    sent: 'A query for a field of entities in a list, which fails in its subgraph.',
    expected:
      'Errors whose `path` is that of the client: `products`, the index, the field. None begins with `_entities`.',
    why: 'Clients assign an error to a field by its path; they did not select `_entities`.',
  },
  steps: () => [
    {
      label: 'path',
      query: '{ products(limit: 3) { id averageRating } }',
      faults: { reviews: { graphql: { errors: [{ at: 'Product.averageRating', code: CODE, message: MESSAGE }] } } },
    },
  ],
  judge(evidence) {
    const call = evidence.call('path')
    const { errors } = answerOf(call)
    if (fetchesAt(call, 'reviews').length === 0) return skip('reviews was not asked')
    const wrong = errors.find(({ path }) => path?.[0] === '_entities')
    if (wrong !== undefined) return fail(`the path is ${JSON.stringify(wrong.path)}`)
    const lost = errors.find(({ message, code, path }) => path === null && (message.includes(MESSAGE) || code === CODE))
    if (lost !== undefined) return fail('the error is kept without a path')
    if (errors.length === 0) return note('no error reaches the client')
    const paths = errors.flatMap(({ path }) => (path === null ? [] : [path.join('.')]))
    return pass('', { paths: paths.slice(0, 5) })
  },
})

export const GQL_NULL = graphCheck({
  id: 'GQL-NULL',
  title: 'Null climbs to where it is allowed',
  level: 'must',
  impact: 'high',
  sources: [{ spec: 'GraphQL' }],
  page: {
    sent: 'A query for an order whose buyer no subgraph knows, and one whose subgraph answers null for a field that must not be null.',
    expected: 'Null at the next place above that may be null: the order, the user.',
    why: 'Clients with generated types crash on a null that the schema excludes.',
  },
  steps: () => [
    { label: 'unknown', query: '{ order(id: "o99") { id buyer { name } } }' },
    {
      label: 'null',
      query: '{ user(id: "u1") { id email } }',
      faults: { users: { graphql: { values: [{ at: 'User.email', value: null }] } } },
    },
  ],
  judge(evidence) {
    const unknown = answerOf(evidence.call('unknown'))
    const nulled = answerOf(evidence.call('null'))
    const found = [
      ...(isRecord(valueAt(unknown.data, 'order')) &&
      typeof valueAt(unknown.data, 'order', 'buyer', 'name') !== 'string'
        ? [`Order.buyer of o99 is ${JSON.stringify(valueAt(unknown.data, 'order', 'buyer')) ?? 'missing'}`]
        : []),
      ...(isRecord(valueAt(nulled.data, 'user')) && typeof valueAt(nulled.data, 'user', 'email') !== 'string'
        ? [`User.email is ${JSON.stringify(valueAt(nulled.data, 'user', 'email')) ?? 'missing'}`]
        : []),
    ]
    if (found.length > 0) return fail(`${found.join('; ')}, though the type excludes null`)
    const isAsked = evidence.calls.some(({ count }) => count > 0)
    return isAsked ? pass() : skip(`no subgraph was asked: ${saidBy(unknown)}`)
  },
})

const FAILURES = ['unavailable', 'reset'] as const
const SHOWN = { unavailable: '503', reset: 'a reset connection' } as const

export const GQL_PARTIAL = graphCheck({
  id: 'GQL-PARTIAL',
  title: 'The rest of the data stays',
  level: 'integrity',
  when: { breaks: true },
  page: {
    sent: 'A query over three subgraphs, of which `reviews` answers 503, and then resets the connection.',
    expected: 'The data of the other subgraphs, null for the nullable field of `reviews`, and an error.',
    why: 'That one subgraph is down should not take the whole page away.',
  },
  steps: () =>
    FAILURES.map(failure => ({
      label: failure,
      query: '{ users(limit: 2) { name } products(limit: 2) { name averageRating } }',
      faults: { reviews: failure },
    })),
  judge(evidence) {
    const asked = FAILURES.filter(failure => fetchesAt(evidence.call(failure), 'reviews').length > 0)
    if (asked.length === 0) return skip('reviews was not asked')
    const lost = asked.flatMap(failure => {
      const answer = answerOf(evidence.call(failure))
      const isWhole =
        listAt(answer.data, 'users').length === 2 &&
        listAt(answer.data, 'products').filter(one => typeof valueAt(one, 'name') === 'string').length === 2
      return isWhole ? [] : [`after ${SHOWN[failure]} the data of the others are lost: ${saidBy(answer)}`]
    })
    if (lost.length > 0) return fail(lost.join('; '))
    const silent = asked.filter(failure => answerOf(evidence.call(failure)).errors.length === 0)
    return silent.length > 0 ? note(`no error tells of ${silent.map(failure => SHOWN[failure]).join(', ')}`) : pass()
  },
})

export const GQL_TYPES = graphCheck({
  id: 'GQL-TYPES',
  title: 'Values of a wrong type',
  level: 'hazard',
  page: {
    sent: 'Queries whose subgraph answers a text for a Float, and an object for a list.',
    expected: 'Null with an error, by the rules of the schema.',
    why: 'The gateway publishes the schema, so clients trust it for the types and not the subgraph.',
  },
  steps: (): GraphStep[] => [
    {
      label: 'float',
      query: '{ products(limit: 1) { id price } }',
      faults: { products: { graphql: { values: [{ at: 'Product.price', value: 'cheap' }] } } },
    },
    {
      label: 'list',
      query: '{ products(limit: 1) { id warehouses { id } } }',
      faults: { inventory: { graphql: { values: [{ at: 'Product.warehouses', value: { id: 'w1' } }] } } },
    },
  ],
  judge(evidence) {
    const price = valueAt(answerOf(evidence.call('float')).data, 'products', 0, 'price')
    const list = valueAt(answerOf(evidence.call('list')).data, 'products', 0, 'warehouses')
    if (!evidence.calls.some(({ count }) => count > 0)) return skip('no subgraph was asked')
    const found = [
      ...(typeof price === 'string' ? ['a text for Product.price, a Float'] : []),
      ...(isRecord(list) ? ['an object for Product.warehouses, a list'] : []),
    ]
    return found.length > 0 ? warn(`forwarded: ${found.join('; ')}`) : pass()
  },
})

const HOWS = ['reverse', 'short', 'long', 'not-list'] as const
const RATINGS: Readonly<Record<string, number | null>> = { p1: 4.5, p2: 3, p3: null }

export const GQL_ENTITIES = graphCheck({
  id: 'GQL-ENTITIES',
  title: 'Entities out of step',
  level: 'integrity',
  when: { breaks: true },
  page: {
    sent: 'Queries whose subgraph answers the entities in reverse order, one too few, one too many, or no list.',
    expected: 'An answer of GraphQL in time, and a gateway that goes on.',
    why: 'A faulty subgraph must not take the gateway down. That values end up at the wrong entity is noted: without a key in the answer no gateway can see it.',
  },
  steps: () =>
    HOWS.map(how => ({
      label: how,
      query: '{ products(limit: 3) { id averageRating } }',
      faults: { reviews: { graphql: { entities: how } } },
    })),
  judge(evidence) {
    if (!HOWS.some(how => fetchesAt(evidence.call(how), 'reviews').length > 0)) return skip('reviews was not asked')
    const verdicts = HOWS.map((how): Verdict => verdictOn(how, evidence.call(how)))
    return worst(verdicts)
  },
})

function verdictOn(how: string, call: Call): Verdict {
  const answer = answerOf(call)
  if (answer.status === null)
    return fail(`${how}: ${call.exchange.ended === null ? 'no answer' : 'the connection ended without an answer'}`)
  if (answer.status >= 500 && !answer.isOfGraph) return fail(`${how}: ${answer.status} without an answer of GraphQL`)
  const wrong = listAt(answer.data, 'products')
    .filter(one => {
      const rating = valueAt(one, 'averageRating')
      return rating !== null && rating !== RATINGS[String(valueAt(one, 'id'))]
    })
    .map(one => valueAt(one, 'id'))
  return wrong.length > 0
    ? note(`${how}: ${wrong.join(', ')} ${wrong.length === 1 ? 'has' : 'have'} the value of another product`)
    : pass()
}

export const FAILURE_CHECKS: readonly Check[] = [GQL_ERRPATH, GQL_NULL, GQL_PARTIAL, GQL_TYPES, GQL_ENTITIES]
