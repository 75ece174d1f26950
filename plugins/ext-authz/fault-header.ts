/** The header `X-Svc-Authz` of the checked request: what the client of a gateway asks the service to do. */
import type { ServiceFault } from '../gateway-services/types.ts'
import { isLocalPath } from './decision.ts'

export const AUTHZ_HEADER = 'X-Svc-Authz'

export type AskedDecision =
  | { kind: 'allow' }
  | { kind: 'deny'; status: number }
  /** Allows with this many headers of 1 KiB. */
  | { kind: 'headers'; count: number }
  | { kind: 'redirect'; path: string }

/** The values, for messages. */
export const AUTHZ_VALUES =
  'allow, deny, deny:<status 300-599>, slow:<ms>, error, error:<status 400-599>, hang, reset, malformed, headers:<n>, redirect:</path>'
/** Headers that `headers:<n>` can ask for. */
export const MAX_FILL = { normal: 60, public: 8 }

/** Null for any other value. */
export function parseAuthz(text: string, maxFill: number): ServiceFault<AskedDecision> | null {
  const [, word = '', argument] = /^([a-z]+)(?::(.*))?$/.exec(text.trim()) ?? []
  if (argument === undefined)
    switch (word) {
      case 'hang':
      case 'reset':
      case 'malformed':
        return { kind: word }
      case 'allow':
        return own({ kind: 'allow' })
      case 'deny':
        return own({ kind: 'deny', status: 403 })
      case 'error':
        return { kind: 'error', status: null }
      default:
        return null
    }
  const number = /^\d{1,9}$/.test(argument) ? Number(argument) : Number.NaN
  const isWithin = (min: number, max: number): boolean => number >= min && number <= max
  switch (word) {
    case 'deny':
      return isWithin(300, 599) && number !== 304 ? own({ kind: 'deny', status: number }) : null
    case 'error':
      return isWithin(400, 599) ? { kind: 'error', status: number } : null
    case 'slow':
      return Number.isNaN(number) ? null : { kind: 'slow', ms: number }
    case 'headers':
      return isWithin(1, maxFill) ? own({ kind: 'headers', count: number }) : null
    case 'redirect':
      return isLocalPath(argument) ? own({ kind: 'redirect', path: argument }) : null
    default:
      return null
  }
}

function own(fault: AskedDecision): ServiceFault<AskedDecision> {
  return { kind: 'own', fault }
}
