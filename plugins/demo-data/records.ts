/** The demo customers, products, orders and reviews. */
import type { DemoOrder, DemoProduct, DemoRecords, DemoReview, DemoUser, OrderStatus } from './types.ts'

const users: DemoUser[] = [
  {
    id: 'u1',
    name: 'Alice Chen',
    email: 'alice@example.com',
    role: 'ADMIN',
    createdAt: '2024-01-15T09:30:00Z',
    tier: 'gold',
  },
  {
    id: 'u2',
    name: 'Bob Martinez',
    email: 'bob@example.com',
    role: 'USER',
    createdAt: '2024-02-20T14:15:00Z',
    tier: 'silver',
  },
  {
    id: 'u3',
    name: 'Carol Nakamura',
    email: 'carol@example.com',
    role: 'USER',
    createdAt: '2024-03-10T11:00:00Z',
    tier: 'gold',
  },
  {
    id: 'u4',
    name: 'David Okafor',
    email: 'david@example.com',
    role: 'GUEST',
    createdAt: '2024-04-05T16:45:00Z',
    tier: 'bronze',
  },
  {
    id: 'u5',
    name: 'Eva Johansson',
    email: 'eva@example.com',
    role: 'USER',
    createdAt: '2024-05-12T08:20:00Z',
    tier: 'silver',
  },
]

const products: DemoProduct[] = [
  {
    id: 'p1',
    name: 'Mechanical Keyboard',
    price: 149.99,
    category: 'Electronics',
    inStock: true,
    description: 'Tactile switches that can be swapped, backlit keys',
  },
  {
    id: 'p2',
    name: 'Wireless Mouse',
    price: 79.99,
    category: 'Electronics',
    inStock: true,
    description: 'Shaped for the right hand, two radios, long battery life',
  },
  {
    id: 'p3',
    name: 'USB-C Hub',
    price: 45.99,
    category: 'Electronics',
    inStock: false,
    description: 'Seven ports, among them HDMI and a card reader',
  },
  {
    id: 'p4',
    name: 'Espresso Machine',
    price: 599.99,
    category: 'Kitchen',
    inStock: true,
    description: 'Built-in grinder, 15 bar pump, steam wand',
  },
  {
    id: 'p5',
    name: 'Cast Iron Skillet',
    price: 34.99,
    category: 'Kitchen',
    inStock: true,
    description: '30 cm, seasoned, fit for the oven',
  },
  {
    id: 'p6',
    name: "Chef's Knife",
    price: 89.99,
    category: 'Kitchen',
    inStock: true,
    description: '20 cm blade, full tang, riveted handle',
  },
  {
    id: 'p7',
    name: 'Running Shoes',
    price: 179.99,
    category: 'Sports',
    inStock: true,
    description: 'Light mesh upper, springy carbon plate',
  },
  {
    id: 'p8',
    name: 'Yoga Mat',
    price: 29.99,
    category: 'Sports',
    inStock: true,
    description: '6 mm, grips well, with a strap',
  },
  {
    id: 'p9',
    name: 'Resistance Bands Set',
    price: 24.99,
    category: 'Sports',
    inStock: false,
    description: 'Five strengths, handles, door anchor',
  },
  {
    id: 'p10',
    name: 'Monitor Stand',
    price: 59.99,
    category: 'Electronics',
    inStock: true,
    description: 'Height can be set, hides the cables',
  },
]

const orders: DemoOrder[] = [
  order(
    'o1',
    'u1',
    [
      [1, 'p1'],
      [1, 'p2'],
    ],
    'DELIVERED',
    '2024-06-01T10:00:00Z',
  ),
  order('o2', 'u2', [[1, 'p4']], 'SHIPPED', '2024-06-05T14:30:00Z'),
  order(
    'o3',
    'u3',
    [
      [2, 'p7'],
      [1, 'p8'],
    ],
    'PROCESSING',
    '2024-06-10T09:15:00Z',
  ),
  order(
    'o4',
    'u1',
    [
      [1, 'p5'],
      [1, 'p6'],
    ],
    'DELIVERED',
    '2024-06-15T16:00:00Z',
  ),
  order(
    'o5',
    'u4',
    [
      [2, 'p3'],
      [1, 'p10'],
    ],
    'PENDING',
    '2024-06-20T11:45:00Z',
  ),
  order('o6', 'u5', [[1, 'p1']], 'CANCELLED', '2024-06-25T13:20:00Z'),
  order(
    'o7',
    'u2',
    [
      [3, 'p9'],
      [1, 'p7'],
    ],
    'SHIPPED',
    '2024-07-01T08:00:00Z',
  ),
  order(
    'o8',
    'u3',
    [
      [1, 'p4'],
      [2, 'p5'],
    ],
    'PENDING',
    '2024-07-05T15:30:00Z',
  ),
]

const reviews: DemoReview[] = [
  {
    id: 'r1',
    productId: 'p1',
    userId: 'u1',
    rating: 5,
    comment: 'The keys feel crisp and my fingers thank me.',
    createdAt: '2024-06-15T10:00:00Z',
  },
  {
    id: 'r2',
    productId: 'p1',
    userId: 'u3',
    rating: 4,
    comment: 'Lovely to type on, a little loud for the office.',
    createdAt: '2024-06-20T14:30:00Z',
  },
  {
    id: 'r3',
    productId: 'p4',
    userId: 'u2',
    rating: 5,
    comment: 'Better coffee than the place round the corner.',
    createdAt: '2024-06-25T09:00:00Z',
  },
  {
    id: 'r4',
    productId: 'p7',
    userId: 'u3',
    rating: 4,
    comment: 'Light and quick, the laces could be longer.',
    createdAt: '2024-07-01T16:00:00Z',
  },
  {
    id: 'r5',
    productId: 'p2',
    userId: 'u5',
    rating: 3,
    comment: 'Does its work, too large for my hand.',
    createdAt: '2024-07-05T11:00:00Z',
  },
  {
    id: 'r6',
    productId: 'p5',
    userId: 'u1',
    rating: 5,
    comment: 'Heavy, simple, and nothing sticks to it.',
    createdAt: '2024-07-10T08:30:00Z',
  },
  {
    id: 'r7',
    productId: 'p8',
    userId: 'u4',
    rating: 4,
    comment: 'Grips well even when it gets warm.',
    createdAt: '2024-07-12T13:00:00Z',
  },
  {
    id: 'r8',
    productId: 'p10',
    userId: 'u2',
    rating: 5,
    comment: 'My desk has not been this tidy for years.',
    createdAt: '2024-07-15T10:30:00Z',
  },
]

/** The rows that the extension point offers. */
export const records: DemoRecords = freezeDeeply({ users, products, orders, reviews })

function order(
  id: string,
  userId: string,
  lines: [quantity: number, productId: string][],
  status: OrderStatus,
  createdAt: string,
): DemoOrder {
  const items = lines.map(([quantity, productId]) => ({ productId, quantity, unitPrice: priceOf(productId) }))
  // Summed in cents: 3 × 24.99 + 179.99 is not exact in binary fractions.
  const cents = items.reduce((sum, item) => sum + Math.round(item.unitPrice * 100) * item.quantity, 0)
  return { id, userId, items, status, total: cents / 100, createdAt }
}

function priceOf(productId: string): number {
  const product = products.find(candidate => candidate.id === productId)
  if (!product) throw new Error(`unknown product "${productId}" in a demo order`)
  return product.price
}

function freezeDeeply<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object') freezeDeeply(member as object)
  return Object.freeze(value)
}
