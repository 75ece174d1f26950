/** The subgraph `inventory`: stock, which overrides that of `products`, and shipping from fields that it requires. */
import { GraphQLError } from 'graphql'
import { isRecord } from 'svc/toolkit'
import { findEntity } from '../entity-keys.ts'
import type { Rows } from '../rows.ts'
import { INVENTORY } from '../schemas/inventory.ts'
import { seenBy } from '../seen.ts'
import { CORE_SETS, RELEASE, type Representation, type Subgraph } from '../subgraph.ts'

const FREE_SHIPPING_PRICE = 100
const BASE_CENTS = 390
const GRAMS_PER_CENT = 10

export function inventorySubgraph({ products }: Rows): Subgraph {
  return {
    name: 'inventory',
    sets: CORE_SETS,
    federation: '2.3',
    sdl: INVENTORY,
    example:
      '{ _entities(representations: [{ __typename: "Product", id: "p1" }]) { ... on Product { stock inStock } } }',
    root: { inventorySeen: seenBy('inventory'), release: RELEASE },
    resolve(_typename, representation) {
      const row = findEntity(products, [['id']], product => ({ id: product.id }), representation)
      if (row === null) return null
      const { id, number, inStock } = row
      const quantity = (perNumber: number): number => (inStock ? perNumber * number : 0)
      return {
        id,
        inStock,
        price: representation.price,
        dimensions: representation.dimensions,
        stock: quantity(10),
        warehouses: [
          { id: 'w1', city: 'Berlin', quantity: quantity(6) },
          { id: 'w2', city: 'Lyon', quantity: quantity(4) },
        ],
        shippingCents: () => shippingCents(representation),
      }
    },
  }
}

/** From the representation alone: it shows what the gateway sent. */
function shippingCents({ price, dimensions }: Representation): number {
  const weight = isRecord(dimensions) ? dimensions.weightGrams : undefined
  if (typeof price !== 'number' || typeof weight !== 'number')
    throw new GraphQLError(
      'price and dimensions { weightGrams }, which @requires names, are not in the representation',
      {
        extensions: { code: 'REQUIRES_MISSING' },
      },
    )
  return price >= FREE_SHIPPING_PRICE ? 0 : Math.floor(BASE_CENTS + weight / GRAMS_PER_CENT)
}
