/** The demo records as the subgraphs know them: with SKUs, makers, dimensions, tiers and prices of markets. */
import type { DemoOrder, DemoProduct, DemoRecords, DemoReview, DemoUser } from '../demo-data/types.ts'

export interface ProductRow extends DemoProduct {
  /** The number in the id. */
  number: number
  sku: string
  /** Place among the products of its maker, from 1. */
  code: number
  maker: MakerRow
  dimensions: { weightGrams: number; size: string; unit: string }
}

export interface MakerRow {
  id: string
  name: string
  category: string
}

export type Tier = 'GOLD' | 'SILVER' | 'BRONZE'

export interface UserRow extends Omit<DemoUser, 'tier'> {
  tier: Tier
}

export interface OfferRow {
  id: string
  title: string
  kind: 'ProductOffer' | 'BundleOffer'
  productIds: readonly string[]
}

export interface Rows {
  users: readonly UserRow[]
  products: readonly ProductRow[]
  makers: readonly MakerRow[]
  offers: readonly OfferRow[]
  /** Ends with an order whose buyer and product no subgraph knows. */
  orders: readonly DemoOrder[]
  reviews: readonly DemoReview[]
  findProduct(id: string): ProductRow | undefined
}

/** An order whose buyer and product no subgraph knows; found by its id only. */
export const DANGLING_ORDER: DemoOrder = {
  id: 'o99',
  userId: 'u99',
  items: [{ productId: 'p999', quantity: 1, unitPrice: 9.99 }],
  status: 'PENDING',
  total: 9.99,
  createdAt: '2024-07-10T09:00:00Z',
}

const MAKERS: readonly MakerRow[] = [
  { id: 'm1', name: 'Volt Works', category: 'Electronics' },
  { id: 'm2', name: 'Copper Hearth', category: 'Kitchen' },
  { id: 'm3', name: 'Long Stride', category: 'Sports' },
]

const OFFERS: readonly OfferRow[] = [
  { id: 'f1', title: 'Keyboard of the week', kind: 'ProductOffer', productIds: ['p1'] },
  { id: 'f2', title: 'Espresso at home', kind: 'ProductOffer', productIds: ['p4'] },
  { id: 'f3', title: 'Desk bundle', kind: 'BundleOffer', productIds: ['p1', 'p2'] },
]

export function createRows({ users, products, orders, reviews }: DemoRecords): Rows {
  const perMaker = new Map<string, number>()
  const productRows = products.map((product): ProductRow => {
    const number = Number(product.id.slice(1))
    const maker = MAKERS.find(({ category }) => category === product.category)!
    const code = (perMaker.get(maker.id) ?? 0) + 1
    perMaker.set(maker.id, code)
    const dimensions = { weightGrams: 150 * number, size: number % 2 === 1 ? 'small' : 'large', unit: 'cm' }
    return { ...product, number, sku: skuOf(product.id), code, maker, dimensions }
  })
  const byId = new Map(productRows.map(product => [product.id, product]))
  return {
    users: users.map(({ tier, ...user }) => ({ ...user, tier: tier.toUpperCase() as Tier })),
    products: productRows,
    makers: MAKERS,
    offers: OFFERS,
    orders: [...orders, DANGLING_ORDER],
    reviews,
    findProduct: id => byId.get(id),
  }
}

/** `SKU-007` for `p7`. */
export function skuOf(productId: string): string {
  return `SKU-${productId.slice(1).padStart(3, '0')}`
}

/** The first rows; a negative limit is 0. */
export function take<Row>(rows: readonly Row[], limit: number, offset = 0): readonly Row[] {
  const start = Math.max(0, offset)
  return rows.slice(start, start + Math.max(0, limit))
}

/** With two decimals, exact in cents. */
export function toCents(value: number): number {
  return Math.round(value * 100) / 100
}
