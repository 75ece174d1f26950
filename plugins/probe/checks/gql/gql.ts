/** The group `gql`: gateways that join the subgraphs of svc. */
import type { Check } from '../../catalog/check.ts'
import { DATA_CHECKS } from './data.ts'
import { DELIVERY_CHECKS } from './delivery.ts'
import { DOCUMENT_CHECKS } from './documents.ts'
import { FAILURE_CHECKS } from './failures.ts'
import { HEADER_CHECKS } from './headers.ts'
import { HTTP_CHECKS } from './http.ts'
import { ORDER_CHECKS } from './order.ts'
import { PATIENCE_CHECKS } from './patience.ts'
import { PUBLISHED_CHECKS } from './published.ts'
import { SUBSCRIPTION_CHECKS } from './subscriptions.ts'

export const GRAPH_CHECKS: readonly Check[] = [
  ...DATA_CHECKS,
  ...ORDER_CHECKS,
  ...HEADER_CHECKS,
  ...FAILURE_CHECKS,
  ...PATIENCE_CHECKS,
  ...SUBSCRIPTION_CHECKS,
  ...DOCUMENT_CHECKS,
  ...PUBLISHED_CHECKS,
  ...HTTP_CHECKS,
  ...DELIVERY_CHECKS,
]
