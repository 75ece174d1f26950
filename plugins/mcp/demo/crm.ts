/** Owns the customers and orders of the MCP tools, converted from the demo data. */
import type { DemoOrder, DemoRecords, DemoUser } from '../../demo-data/types.ts'
import type { JsonObject } from '../types.ts'

export interface Customer extends JsonObject {
  id: string
  name: string
  email: string
  role: string
  tier: string
  createdAt: string
}
export interface Order extends JsonObject {
  id: string
  customerId: string
  status: string
  total: number
  items: { product: string; quantity: number }[]
  createdAt: string
}

/** In lower case, unlike in the demo data. */
export const ORDER_STATUSES: readonly string[] = ['pending', 'processing', 'shipped', 'delivered', 'cancelled']

export class Crm {
  readonly customers: readonly Customer[]
  readonly orders: readonly Order[]

  constructor(records: DemoRecords) {
    this.customers = records.users.map(showCustomer)
    const productNames = new Map(records.products.map(product => [product.id, product.name]))
    this.orders = records.orders.map(order => showOrder(order, productNames))
  }

  customer(id: string): Customer | undefined {
    return this.customers.find(customer => customer.id === id)
  }

  /** Finds a customer by id, email address or part of the name, ignoring case. */
  findCustomer(text: string): Customer | undefined {
    const wanted = text.trim().toLowerCase()
    if (wanted === '') return undefined
    const by = (matches: (customer: Customer) => boolean) => this.customers.find(matches)
    return (
      by(({ id }) => id === wanted) ??
      by(({ email }) => email.toLowerCase() === wanted) ??
      by(({ name }) => name.toLowerCase().includes(wanted))
    )
  }

  ordersOf(customer: Customer): Order[] {
    return this.orders.filter(order => order.customerId === customer.id)
  }

  order(id: string): Order | undefined {
    return this.orders.find(order => order.id === id)
  }

  /** Total of all orders that are not cancelled, exact to two decimals. */
  lifetimeValue(customer: Customer): number {
    const cents = this.ordersOf(customer)
      .filter(order => order.status !== 'cancelled')
      .reduce((sum, order) => sum + Math.round(order.total * 100), 0)
    return cents / 100
  }

  /** All ids, for error messages. */
  get knownIds(): string {
    return this.customers.map(customer => customer.id).join(', ')
  }
}

function showCustomer({ id, name, email, role, tier, createdAt }: DemoUser): Customer {
  return { id, name, email, role, tier, createdAt }
}

function showOrder(order: DemoOrder, productNames: ReadonlyMap<string, string>): Order {
  return {
    id: order.id,
    customerId: order.userId,
    status: order.status.toLowerCase(),
    total: order.total,
    items: order.items.map(({ productId, quantity }) => ({
      product: productNames.get(productId) ?? productId,
      quantity,
    })),
    createdAt: order.createdAt,
  }
}
