/** Owns the tools for customers and orders. */
import type { ToolDefinition } from '../../types.ts'
import { WRITE_SCOPE } from '../../access/protected-resource.ts'
import { type Crm, type Customer, type Order, ORDER_STATUSES } from '../crm.ts'
import { defineTool, fail, textResult } from './define.ts'

const customerSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    email: { type: 'string' },
    role: { type: 'string' },
    tier: { type: 'string' },
    createdAt: { type: 'string' },
  },
  required: ['id', 'name', 'email', 'role', 'tier', 'createdAt'],
  additionalProperties: false,
}
const itemSchema = {
  type: 'object',
  properties: { product: { type: 'string' }, quantity: { type: 'integer' } },
  required: ['product', 'quantity'],
  additionalProperties: false,
}
const orderSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    customerId: { type: 'string' },
    status: { type: 'string' },
    total: { type: 'number' },
    items: { type: 'array', items: itemSchema },
    createdAt: { type: 'string' },
  },
  required: ['id', 'customerId', 'status', 'total', 'items', 'createdAt'],
  additionalProperties: false,
}

export function customerTools(crm: Crm): ToolDefinition[] {
  const requireCustomer = (text: string): Customer =>
    crm.findCustomer(text) ?? fail(`unknown customer "${text}" (known: ${crm.knownIds})`)

  const lookupCustomer = defineTool<{ customer_id: string }>({
    name: 'lookup_customer',
    title: 'Look up a customer',
    description: 'Finds a customer by id, email address or part of the name.',
    input: {
      'customer_id*': { type: 'string', maxLength: 200, description: 'For example u1', 'x-mcp-header': 'Customer-Id' },
    },
    output: {
      customer: customerSchema,
      orderIds: { type: 'array', items: { type: 'string' } },
      orderCount: { type: 'integer' },
      lifetimeValue: { type: 'number' },
    },
    call({ customer_id }) {
      const customer = requireCustomer(customer_id)
      const orderIds = crm.ordersOf(customer).map(order => order.id)
      const lifetimeValue = crm.lifetimeValue(customer)
      const text = `${customer.name} (${customer.id}, ${customer.email}), ${customer.tier} tier, ${orderIds.length} orders, lifetime value ${lifetimeValue.toFixed(2)}`
      return textResult(text, { customer, orderIds, orderCount: orderIds.length, lifetimeValue })
    },
  })

  const searchOrders = defineTool<{ customer_id?: string; status?: string; min_total?: number; limit: number }>({
    name: 'search_orders',
    title: 'Search orders',
    description: 'Finds orders by customer, status and minimum total.',
    input: {
      customer_id: { type: 'string', maxLength: 200 },
      status: { type: 'string', enum: [...ORDER_STATUSES] },
      min_total: { type: 'number', minimum: 0 },
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
    },
    output: { orders: { type: 'array', items: orderSchema }, count: { type: 'integer' } },
    call({ customer_id, status, min_total = 0, limit }) {
      const customer = customer_id === undefined ? null : requireCustomer(customer_id)
      const isWanted = (order: Order) =>
        (!customer || order.customerId === customer.id) &&
        (!status || order.status === status) &&
        order.total >= min_total
      const orders = crm.orders.filter(isWanted).slice(0, limit)
      const lines = orders.map(
        order =>
          `${order.id}: ${order.status}, ${order.total.toFixed(2)}, ${order.items.map(({ product, quantity }) => `${quantity} × ${product}`).join(', ')}`,
      )
      return textResult(lines.join('\n') || 'No orders.', { orders, count: orders.length })
    },
  })

  const cancelOrder = defineTool<{ order_id: string; reason?: string }>({
    name: 'cancel_order',
    title: 'Cancel an order',
    description: 'Reports an order as cancelled. The demo data does not change: the order keeps its status.',
    input: {
      'order_id*': { type: 'string', maxLength: 100, description: 'For example o5' },
      reason: { type: 'string', maxLength: 200 },
    },
    output: {
      orderId: { type: 'string' },
      previousStatus: { type: 'string' },
      status: { type: 'string', const: 'cancelled' },
      note: { type: 'string' },
    },
    annotations: { readOnlyHint: false, destructiveHint: true },
    scope: WRITE_SCOPE,
    call({ order_id, reason }) {
      const order = crm.order(order_id) ?? fail(`unknown order "${order_id}"`)
      if (order.status === 'delivered') fail(`order ${order.id} is delivered and can't be cancelled`)
      const note = `Demo data: nothing was changed.${reason ? ` Reason: ${reason}` : ''}`
      return textResult(`Order ${order.id} is cancelled (was ${order.status}). ${note}`, {
        orderId: order.id,
        previousStatus: order.status,
        status: 'cancelled',
        note,
      })
    },
  })

  return [lookupCustomer, searchOrders, cancelOrder]
}
