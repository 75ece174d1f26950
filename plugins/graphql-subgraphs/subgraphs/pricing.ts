/** The subgraph `pricing`: markets with price tags in their currency, from a context, and costs. */
import { GraphQLError } from 'graphql'
import { findEntity } from '../entity-keys.ts'
import { take, toCents, type ProductRow, type Rows } from '../rows.ts'
import { PRICING } from '../schemas/pricing.ts'
import { seenBy } from '../seen.ts'
import { FULL_SETS, RELEASE, type Subgraph } from '../subgraph.ts'

const MARKETS = [
  { id: 'de', currency: 'EUR' },
  { id: 'us', currency: 'USD' },
  { id: 'jp', currency: 'JPY' },
]
const RATES: Readonly<Record<string, number>> = { EUR: 0.9, USD: 1, JPY: 150 }
const DEFAULT_CURRENCY = 'USD'

export function pricingSubgraph({ products }: Rows): Subgraph {
  const productOf = ({ id }: ProductRow): object => ({ id, notes: 'from pricing' })
  const tagOf = (market: string, row: ProductRow): object => ({
    id: `${market}-${row.id}`,
    product: productOf(row),
    amount({ currency }: { currency?: string | null }) {
      const rate = Object.hasOwn(RATES, currency ?? DEFAULT_CURRENCY) ? RATES[currency ?? DEFAULT_CURRENCY] : undefined
      if (rate === undefined)
        throw new GraphQLError(`unknown currency (expected ${Object.keys(RATES).join(', ')})`, {
          extensions: { code: 'BAD_USER_INPUT' },
        })
      return toCents(row.price * rate)
    },
  })
  const marketOf = (market: (typeof MARKETS)[number]): object => ({
    ...market,
    tags: ({ limit }: { limit: number }) => take(products, limit).map(row => tagOf(market.id, row)),
  })
  const tags = MARKETS.flatMap(market =>
    products.map(row => ({ id: `${market.id}-${row.id}`, market: market.id, row })),
  )

  return {
    name: 'pricing',
    sets: FULL_SETS,
    federation: '2.9',
    sdl: PRICING,
    example: '{ markets { id currency tags(limit: 2) { product { id } amount } } }',
    resolve(typename, representation) {
      if (typename === 'Market') {
        const row = findEntity(MARKETS, [['id']], ({ id }) => ({ id }), representation)
        return row && marketOf(row)
      }
      if (typename === 'PriceTag') {
        const tag = findEntity(tags, [['id']], ({ id }) => ({ id }), representation)
        return tag && tagOf(tag.market, tag.row)
      }
      const row = findEntity(products, [['id']], ({ id }) => ({ id }), representation)
      return row && productOf(row)
    },
    root: {
      market({ id }: { id: string }) {
        const market = MARKETS.find(one => one.id === id)
        return market === undefined ? null : marketOf(market)
      },
      markets: () => MARKETS.map(marketOf),
      pricingSeen: seenBy('pricing'),
      release: RELEASE,
    },
  }
}
