/** The subgraph `products`: products by three keys, their makers, offers (an interface with a key) and a union. */
import { findEntity } from '../entity-keys.ts'
import { take, type MakerRow, type OfferRow, type ProductRow, type Rows } from '../rows.ts'
import { PRODUCTS } from '../schemas/products.ts'
import { seenBy } from '../seen.ts'
import { CORE_SETS, RELEASE, type Representation, type Subgraph } from '../subgraph.ts'

const PRODUCT_KEYS = [['id'], ['sku'], ['code', 'maker.id']]
const MAX_SEARCH = 200

export function productsSubgraph({ products, makers, offers, findProduct }: Rows): Subgraph {
  const productOf = (row: ProductRow): object => ({
    ...row,
    __typename: 'Product',
    maker: () => makerOf(row.maker),
    // What a gateway shows that ignores `@override` in `inventory`.
    stock: -1,
    notes: 'from products',
  })
  const makerOf = (row: MakerRow): object => ({
    __typename: 'Maker',
    id: row.id,
    name: row.name,
    products: () => products.filter(({ maker }) => maker.id === row.id).map(productOf),
  })
  const offerOf = ({ id, title, kind, productIds }: OfferRow): object => ({
    __typename: kind,
    id,
    title,
    product: () => productOf(findProduct(productIds[0]!)!),
    products: () => productIds.map(productId => productOf(findProduct(productId)!)),
  })
  const find = (id: string): object | null => {
    const row = findProduct(id)
    return row === undefined ? null : productOf(row)
  }

  function resolve(typename: string, representation: Representation): object | null {
    if (typename === 'Product') {
      const row = findEntity(products, PRODUCT_KEYS, product => ({ ...product }), representation)
      return row && productOf(row)
    }
    if (typename === 'Maker') {
      const row = findEntity(makers, [['id']], maker => ({ ...maker }), representation)
      return row && makerOf(row)
    }
    // `Offer`, the interface, finds offers of both types.
    const row = findEntity(offers, [['id']], offer => ({ ...offer }), representation)
    return row !== null && (typename === 'Offer' || typename === row.kind) ? offerOf(row) : null
  }

  return {
    name: 'products',
    sets: CORE_SETS,
    federation: '2.3',
    sdl: PRODUCTS,
    example: '{ products(category: "Kitchen", limit: 2) { id sku name maker { name } } }',
    resolve,
    root: {
      product: ({ id }: { id: string }) => find(id),
      products({ category, limit }: { category?: string | null; limit: number }) {
        const wanted = category?.toLowerCase()
        const rows = products.filter(row => wanted === undefined || row.category.toLowerCase() === wanted)
        return take(rows, limit).map(productOf)
      },
      offers: () => offers.map(offerOf),
      search({ text }: { text: string }) {
        const part = text.slice(0, MAX_SEARCH).toLowerCase()
        const has = ({ name }: { name: string }): boolean => name.toLowerCase().includes(part)
        return [...products.filter(has).map(productOf), ...makers.filter(has).map(makerOf)]
      },
      productsSeen: seenBy('products'),
      release: RELEASE,
    },
  }
}
