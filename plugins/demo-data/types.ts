/** Owns the shapes of the demo rows and of the extension point through which other plugins read them. */

/** A customer. `createdAt` is RFC 3339, UTC. */
export interface DemoUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: 'ADMIN' | 'USER' | 'GUEST'
  readonly createdAt: string
  readonly tier: 'gold' | 'silver' | 'bronze'
}

/** A product. `price` has two decimals and no currency. */
export interface DemoProduct {
  readonly id: string
  readonly name: string
  readonly price: number
  readonly category: string
  readonly inStock: boolean
  readonly description: string
}

export type OrderStatus = 'PENDING' | 'PROCESSING' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED'

/** One line of an order; `unitPrice` is the product's price. */
export interface DemoOrderItem {
  readonly productId: string
  readonly quantity: number
  readonly unitPrice: number
}

/** An order. `total` is exact to two decimals, `createdAt` RFC 3339, UTC. */
export interface DemoOrder {
  readonly id: string
  readonly userId: string
  readonly items: readonly DemoOrderItem[]
  readonly status: OrderStatus
  readonly total: number
  readonly createdAt: string
}

/** What a user says of a product. `rating` is 1 to 5. */
export interface DemoReview {
  readonly id: string
  readonly productId: string
  readonly userId: string
  readonly rating: number
  readonly comment: string
  readonly createdAt: string
}

/** All rows, in the order of their ids, deeply frozen. */
export interface DemoRecords {
  readonly users: readonly DemoUser[]
  readonly products: readonly DemoProduct[]
  readonly orders: readonly DemoOrder[]
  readonly reviews: readonly DemoReview[]
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'demo-data.records': DemoRecords
  }
}
