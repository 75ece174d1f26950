/** Whether the gateway joins what the subgraphs answer. */
import { isRecord } from 'svc/toolkit'
import { fail, fault, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { answerOf, dataDifference, listAt, saidBy, valueAt } from './answers.ts'
import { fetchesAt, fetchesOf, type Representation } from './fetches.ts'
import { graphCheck } from './graph-check.ts'

const JOINED_QUERY = `{
  order(id: "o1") { id status total buyer { name tier loyaltyPoints } items { quantity product { sku name inStock } } }
  products(limit: 2) {
    id name shippingCents averageRating reviews { id rating author { name } } warehouses { city quantity }
  }
}`

/** Of the demo data, over five subgraphs. */
const JOINED_DATA = {
  order: {
    id: 'o1',
    status: 'DELIVERED',
    total: 229.98,
    buyer: { name: 'Alice Chen', tier: 'GOLD', loyaltyPoints: 6 },
    items: [
      { quantity: 1, product: { sku: 'SKU-001', name: 'Mechanical Keyboard', inStock: true } },
      { quantity: 1, product: { sku: 'SKU-002', name: 'Wireless Mouse', inStock: true } },
    ],
  },
  products: [
    {
      id: 'p1',
      name: 'Mechanical Keyboard',
      shippingCents: 0,
      averageRating: 4.5,
      reviews: [
        { id: 'r1', rating: 5, author: { name: 'Alice Chen' } },
        { id: 'r2', rating: 4, author: { name: 'Carol Nakamura' } },
      ],
      warehouses: [
        { city: 'Berlin', quantity: 6 },
        { city: 'Lyon', quantity: 4 },
      ],
    },
    {
      id: 'p2',
      name: 'Wireless Mouse',
      shippingCents: 420,
      averageRating: 3,
      reviews: [{ id: 'r5', rating: 3, author: { name: 'Eva Johansson' } }],
      warehouses: [
        { city: 'Berlin', quantity: 12 },
        { city: 'Lyon', quantity: 8 },
      ],
    },
  ],
}

/** Whether a subgraph received a query for the value and did not answer it: then the demo data are others. */
function hasOtherRows(call: Call, path: string, expected: unknown): boolean {
  const field = path.split('.').at(-1)!
  const asked = fetchesOf(call).filter(({ query }) => query.split(/\W+/).includes(field))
  const value = JSON.stringify(expected)
  return asked.length > 0 && !asked.some(({ view }) => view.record.answered.bytes.includes(value))
}

export const GQL_DATA = graphCheck({
  id: 'GQL-DATA',
  title: 'Joined data',
  level: 'integrity',
  page: {
    sent: 'A query for an order and for products over five subgraphs.',
    expected: 'Exactly the demo data, without errors.',
    why: 'A gateway that plans a query wrongly returns nulls or the data of another entity, and clients cannot tell.',
  },
  steps: () => [{ label: 'joined', query: JOINED_QUERY }],
  judge(evidence) {
    const call = evidence.call('joined')
    const answer = answerOf(call)
    const found = dataDifference(JOINED_DATA, answer.data)
    if (found === null)
      return answer.errors.length > 0 ? fail(`the data are whole, with an error: ${saidBy(answer)}`) : pass()
    const { path, expected, got } = found
    if (typeof expected !== 'object' && hasOtherRows(call, path, expected))
      return fault(`the subgraphs do not answer ${JSON.stringify(expected)} for ${path}`)
    const reason = answer.errors.length > 0 ? `; ${saidBy(answer)}` : ''
    return fail(`${path} is ${shownValue(got)}, not ${shownValue(expected)}${reason}`, { path, subgraphs: asked(call) })
  },
})

const shownValue = (value: unknown): string => JSON.stringify(value)?.slice(0, 100) ?? 'missing'
const asked = (call: Call): string[] => fetchesOf(call).map(({ subgraph }) => subgraph)

export const GQL_OVERRIDE = graphCheck({
  id: 'GQL-OVERRIDE',
  title: 'Fields that moved to another subgraph',
  level: 'integrity',
  page: {
    sent: 'A query for `stock`, which `inventory` overrides in `products` with `@override`.',
    expected: 'The value of `inventory`. That of `products` is -1.',
    why: 'A field moves because its old owner no longer knows the value.',
  },
  steps: () => [{ label: 'stock', query: '{ products(limit: 3) { id stock } }' }],
  judge(evidence) {
    const answer = answerOf(evidence.call('stock'))
    const values = listAt(answer.data, 'products').map(product => valueAt(product, 'stock'))
    if (values.includes(-1)) return fail('stock is that of products, which has lost the field', { values })
    return values.some(value => typeof value === 'number') ? pass() : skip(`no value of stock: ${saidBy(answer)}`)
  },
})

export const GQL_IFACE = graphCheck({
  id: 'GQL-IFACE',
  title: 'Fields of an interface object',
  level: 'integrity',
  page: {
    sent: 'A query for a field that `reviews` adds to the interface `Offer` with `@interfaceObject`.',
    expected: 'A value for each offer, whatever its type.',
    why: 'The subgraph does not know the types of the offers, so the gateway must ask for them by the name of the interface.',
  },
  steps: () => [{ label: 'offers', query: '{ offers { id reviewCount } }' }],
  judge(evidence) {
    const answer = answerOf(evidence.call('offers'))
    const offers = listAt(answer.data, 'offers')
    if (offers.length === 0) return fail(`no offers: ${saidBy(answer)}`)
    const missing = offers
      .filter(offer => typeof valueAt(offer, 'reviewCount') !== 'number')
      .map(offer => valueAt(offer, 'id'))
    return missing.length > 0
      ? fail(
          `reviewCount is missing or null for ${missing.join(', ')}${answer.errors.length > 0 ? `; ${saidBy(answer)}` : ''}`,
        )
      : pass()
  },
})

/** Keys of entities, by the subgraph that is asked; one of them is enough. A point leads to a nested field. */
const KEYS: Readonly<Record<string, Readonly<Record<string, readonly string[][]>>>> = {
  users: { User: [['id'], ['email']] },
  products: {
    Product: [['id'], ['sku'], ['code', 'maker.id']],
    Maker: [['id']],
    Offer: [['id']],
    ProductOffer: [['id']],
    BundleOffer: [['id']],
  },
  inventory: { Product: [['id']] },
  reviews: { Review: [['id']], User: [['id']], Product: [['id']], Offer: [['id']] },
  orders: { Order: [['id']], User: [['id']] },
}

function hasKey(representation: Representation, keys: readonly string[][]): boolean {
  return keys.some(key =>
    key.every(field => {
      const value = field
        .split('.')
        .reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), representation)
      return value !== undefined && value !== null
    }),
  )
}

export const GQL_KEYS = graphCheck({
  id: 'GQL-KEYS',
  title: 'From key to key',
  level: 'integrity',
  page: {
    sent: 'A query from an order, which knows products by `sku`, to their reviews, which know them by `id`.',
    expected: 'Representations that have a key of the subgraph they are sent to, without null in it.',
    why: 'A subgraph cannot find an entity without its key, and answers null.',
  },
  steps: () => [{ label: 'keys', query: '{ order(id: "o1") { items { product { name reviews { id } } } } }' }],
  judge(evidence) {
    const call = evidence.call('keys')
    const fetches = fetchesOf(call).filter(({ representations }) => representations.length > 0)
    const wrong = fetches.flatMap(({ subgraph, representations }) =>
      representations
        .filter(one => {
          const keys = KEYS[subgraph]?.[String(one.__typename)]
          return keys === undefined || !hasKey(one, keys)
        })
        .map(one => `${subgraph} received a query for ${JSON.stringify(one).slice(0, 100)}`),
    )
    if (wrong.length > 0) return fail([...new Set(wrong)].join('; '))
    return fetches.length === 0 ? skip(`no entity was queried: ${saidBy(answerOf(call))}`) : pass()
  },
})

const ONCE = ['products', 'inventory', 'reviews']

export const GQL_BATCH = graphCheck({
  id: 'GQL-BATCH',
  title: 'One request a subgraph and level',
  level: 'hazard',
  when: { counts: true },
  page: {
    sent: 'Queries for fields of ten products in three subgraphs, for a name that `reviews` provides, and for the authors of reviews.',
    expected: 'One request for all entities of a level to each subgraph, and none for a field that was provided.',
    why: 'A request for each entity multiplies the load of the subgraphs, and the time that clients wait.',
  },
  steps: () => [
    { label: 'products', query: '{ products(limit: 10) { id stock averageRating } }' },
    { label: 'provided', query: '{ reviews(limit: 10) { id author { name } } }' },
    { label: 'equal', query: '{ reviews(limit: 10) { id author { email } } }' },
  ],
  judge(evidence) {
    const products = evidence.call('products')
    if (fetchesOf(products).length === 0) return skip(`no subgraph was asked: ${saidBy(answerOf(products))}`)
    const counts = Object.fromEntries(ONCE.map(name => [name, fetchesAt(products, name).length]))
    const provided = fetchesAt(evidence.call('provided'), 'users').length
    const authors = fetchesAt(evidence.call('equal'), 'users')
    const ids = authors.flatMap(({ representations }) => representations.map(one => JSON.stringify(one)))
    const repeated = ids.length - new Set(ids).size
    const values = { arrivals: { ...counts, authors: authors.length }, provided, repeated_entities: repeated }
    const many = Object.entries({ ...counts, users: authors.length }).filter(([, count]) => count > 1)
    const found = [
      ...many.map(([name, count]) => `${name} got ${count} requests of one level`),
      ...(provided > 0 ? [`users received a query for a name that reviews provides`] : []),
    ]
    if (found.length > 0) return warn(found.join('; '), values)
    return note(repeated > 0 ? 'equal entities are sent several times' : 'equal entities are sent once', values)
  },
})

export const DATA_CHECKS: readonly Check[] = [GQL_DATA, GQL_OVERRIDE, GQL_IFACE, GQL_KEYS, GQL_BATCH]
