/** Where a demo sends and with which variables: kept in the link of its pages. */
import { activeGateway, settings } from '../../lib/shell/storage.ts'
import { page } from '../../lib/instance/page.ts'
import { completeAddress } from '../../lib/instance/gateway-address.ts'
import { route, setParams } from '../../lib/shell/router.ts'
import type { Variable } from './types.ts'

export const DIRECT = 'direct'

export interface Setup {
  /** URL of the gateway, or `direct`. */
  target: string
  set: Readonly<Record<string, Variable>>
  /** Clients reach the gateway through svc, so that both of its sides are seen. */
  isTapped: boolean
}

export function currentSetup(): Setup {
  const { params } = route.value
  const gateway = activeGateway() ?? settings.value.gateways[0]
  return {
    target: params.get('target') ?? (page.isPublic ? DIRECT : (gateway?.url ?? 'http://localhost:8000')),
    set: setOf(params.get('set')),
    isTapped: params.get('tap') === 'true',
  }
}

function setOf(text: string | null): Setup['set'] {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Setup['set']) : {}
  } catch {
    return {}
  }
}

export function keepSetup({ target, set, isTapped }: Partial<Setup>): void {
  setParams({
    ...(isTapped === undefined ? {} : { tap: isTapped ? 'true' : null }),
    ...(target === undefined ? {} : { target }),
    ...(set === undefined ? {} : { set: Object.keys(set).length === 0 ? null : JSON.stringify(set) }),
  })
}

export function runBody(demo: string, { target, set, isTapped }: Setup, more: object = {}): object {
  if (target === DIRECT) return { demo, target, set, ...more }
  return { demo, target: completeAddress(target), set, ...(isTapped ? { tap: true } : {}), ...more }
}
