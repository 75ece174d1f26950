/** The subgraph `billing`: fields that the gateway has to protect. It checks no credentials itself. */
import { findEntity } from '../entity-keys.ts'
import { DANGLING_ORDER, type Rows, type Tier } from '../rows.ts'
import { BILLING } from '../schemas/billing.ts'
import { seenBy } from '../seen.ts'
import { FULL_SETS, RELEASE, type Subgraph } from '../subgraph.ts'

const RISKS: Readonly<Record<Tier, string>> = { GOLD: 'low', SILVER: 'medium', BRONZE: 'high' }
/** The states of orders that are not paid yet. */
const UNPAID = ['PENDING', 'PROCESSING']

export function billingSubgraph({ users, orders }: Rows): Subgraph {
  return {
    name: 'billing',
    sets: FULL_SETS,
    federation: '2.6',
    sdl: BILLING,
    example: '{ _entities(representations: [{ __typename: "User", id: "u1" }]) { ... on User { balanceCents } } }',
    root: { billingSeen: seenBy('billing'), release: RELEASE },
    resolve(_typename, representation) {
      const user = findEntity(users, [['id']], ({ id }) => ({ id }), representation)
      if (user === null) return null
      const own = orders.filter(order => order !== DANGLING_ORDER && order.userId === user.id)
      const invoices = own.map(({ id, total }) => ({ number: `INV-${id}`, cents: Math.round(total * 100) }))
      const unpaid = own.filter(({ status }) => UNPAID.includes(status))
      return {
        id: user.id,
        invoices,
        balanceCents: unpaid.reduce((sum, { total }) => sum + Math.round(total * 100), 0),
        risk: RISKS[user.tier],
      }
    },
  }
}
