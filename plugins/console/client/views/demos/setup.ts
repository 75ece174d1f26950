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
}

export function currentSetup(): Setup {
  const { params } = route.value
  const gateway = activeGateway() ?? settings.value.gateways[0]
  return {
    target: params.get('target') ?? (page.isPublic ? DIRECT : (gateway?.url ?? 'http://localhost:8000')),
    set: setOf(params.get('set')),
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

export function keepSetup({ target, set }: Partial<Setup>): void {
  setParams({
    ...(target === undefined ? {} : { target }),
    ...(set === undefined ? {} : { set: Object.keys(set).length === 0 ? null : JSON.stringify(set) }),
  })
}

export function runBody(demo: string, { target, set }: Setup, more: object = {}): object {
  return { demo, target: target === DIRECT ? DIRECT : completeAddress(target), set, ...more }
}
