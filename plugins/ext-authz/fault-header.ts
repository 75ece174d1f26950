/** The header `X-Svc-Authz` of the checked request: what the client of a gateway asks the service to do. */
import { isLocalPath } from './decision.ts'

export const AUTHZ_HEADER = 'X-Svc-Authz'

export type AskedFault =
  | { kind: 'allow' }
  | { kind: 'deny'; status: number }
  /** The policy decides after this time. */
  | { kind: 'slow'; ms: number }
  /** The call fails; with a status, the answer says that it does. */
  | { kind: 'error'; status: number | null }
  | { kind: 'hang' }
  | { kind: 'reset' }
  | { kind: 'malformed' }
  /** Allows with this many headers of 1 KiB. */
  | { kind: 'headers'; count: number }
  | { kind: 'redirect'; path: string }

/** The values, for messages. */
export const AUTHZ_VALUES =
  'allow, deny, deny:<status 300-599>, slow:<ms>, error, error:<status 400-599>, hang, reset, malformed, headers:<n>, redirect:</path>'
/** Headers that `headers:<n>` can ask for. */
export const MAX_FILL = { normal: 60, public: 8 }

/** Null for any other value. */
export function parseAuthz(text: string, maxFill: number): AskedFault | null {
  const [, word = '', argument] = /^([a-z]+)(?::(.*))?$/.exec(text.trim()) ?? []
  if (argument === undefined)
    switch (word) {
      case 'allow':
      case 'hang':
      case 'reset':
      case 'malformed':
        return { kind: word }
      case 'deny':
        return { kind: 'deny', status: 403 }
      case 'error':
        return { kind: 'error', status: null }
      default:
        return null
    }
  const number = /^\d{1,9}$/.test(argument) ? Number(argument) : Number.NaN
  const isWithin = (min: number, max: number): boolean => number >= min && number <= max
  switch (word) {
    case 'deny':
      return isWithin(300, 599) && number !== 304 ? { kind: 'deny', status: number } : null
    case 'error':
      return isWithin(400, 599) ? { kind: 'error', status: number } : null
    case 'slow':
      return Number.isNaN(number) ? null : { kind: 'slow', ms: number }
    case 'headers':
      return isWithin(1, maxFill) ? { kind: 'headers', count: number } : null
    case 'redirect':
      return isLocalPath(argument) ? { kind: 'redirect', path: argument } : null
    default:
      return null
  }
}
