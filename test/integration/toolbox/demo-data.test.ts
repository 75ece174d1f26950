/** The demo records, as other areas rely on them. */
import t from 'tap'
import { records } from '../../../plugins/demo-data/records.ts'

const { users, products, orders, reviews } = records

t.test('holds five users, ten products, eight orders and eight reviews, numbered in order [DEMO-1]', async t => {
  t.strictSame(
    users.map(user => user.id),
    numbered('u', 5),
  )
  t.strictSame(
    products.map(product => product.id),
    numbered('p', 10),
  )
  t.strictSame(
    orders.map(order => order.id),
    numbered('o', 8),
  )
  t.strictSame(
    reviews.map(review => review.id),
    numbered('r', 8),
  )
})

t.test('has exact totals and the statuses that other areas use [DEMO-2]', async t => {
  t.strictSame(
    orders.map(order => [order.id, order.userId, order.status, order.total]),
    [
      ['o1', 'u1', 'DELIVERED', 229.98],
      ['o2', 'u2', 'SHIPPED', 599.99],
      ['o3', 'u3', 'PROCESSING', 389.97],
      ['o4', 'u1', 'DELIVERED', 124.98],
      ['o5', 'u4', 'PENDING', 151.97],
      ['o6', 'u5', 'CANCELLED', 149.99],
      ['o7', 'u2', 'SHIPPED', 254.96],
      ['o8', 'u3', 'PENDING', 669.97],
    ],
  )
  t.strictSame(orders[6]?.items, [
    { productId: 'p9', quantity: 3, unitPrice: 24.99 },
    { productId: 'p7', quantity: 1, unitPrice: 179.99 },
  ])
})

t.test('refers only to existing records', async t => {
  const userIds = new Set(users.map(user => user.id))
  const productIds = new Set(products.map(product => product.id))
  for (const order of orders) {
    t.ok(userIds.has(order.userId), order.id)
    for (const item of order.items) t.ok(productIds.has(item.productId), order.id)
  }
  for (const review of reviews) t.ok(userIds.has(review.userId) && productIds.has(review.productId), review.id)
})

t.test('cannot be changed by readers [DEMO-3]', async t => {
  t.throws(() => Object.assign(users[0] ?? {}, { name: 'Mallory' }), TypeError)
  t.throws(() => (orders as unknown[]).push({}), TypeError)
  t.throws(() => Object.assign(orders[0]?.items[0] ?? {}, { quantity: 99 }), TypeError)
})

function numbered(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
}
