/** Types of the demo records and of the extension point through which other plugins read them. */

/** A customer. `createdAt` is an RFC 3339 time in UTC. */
export interface DemoUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: 'ADMIN' | 'USER' | 'GUEST'
  readonly createdAt: string
  readonly tier: 'gold' | 'silver' | 'bronze'
}

/** A product. `price` has two decimals, without a currency. */
export interface DemoProduct {
  readonly id: string
  readonly name: string
  readonly price: number
  readonly category: string
  readonly inStock: boolean
  readonly description: string
}

export type OrderStatus = 'PENDING' | 'PROCESSING' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED'

/** A line of an order; `unitPrice` is the price of the product. */
export interface DemoOrderItem {
  readonly productId: string
  readonly quantity: number
  readonly unitPrice: number
}

/** An order. `total` is exact to two decimals; `createdAt` is an RFC 3339 time in UTC. */
export interface DemoOrder {
  readonly id: string
  readonly userId: string
  readonly items: readonly DemoOrderItem[]
  readonly status: OrderStatus
  readonly total: number
  readonly createdAt: string
}

/** A review of a product by a user. `rating` is 1 to 5. */
export interface DemoReview {
  readonly id: string
  readonly productId: string
  readonly userId: string
  readonly rating: number
  readonly comment: string
  readonly createdAt: string
}

/** All records, ordered by id and deeply frozen. */
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
