/** Lists of weighted status codes, such as `200:0.9,500:0.1`, and the random selection. */
import { quoteInput } from 'svc/plugin'
import { parseDecimal, parseInteger } from 'svc/toolkit'
import { invalidStatusCode, unsupportedStatusCode } from './errors.ts'

export interface WeightedStatus {
  /** 200 to 599. */
  status: number
  /** Relative to the other weights; 0 is never selected. */
  weight: number
}

const MAX_CODES = 20
/** The sum of twenty weights is still finite. */
const MAX_WEIGHT = 1e300

/**
 * Parses one code, or a comma-separated list of `code` or `code:weight`; the default weight is 1. Throws
 * `unsupported_status_code` for an interim code (1xx), `invalid_status_code` for any other error.
 */
export function parseStatuses(spec: string): WeightedStatus[] {
  const items = spec.split(',').map(item => item.trim())
  if (items.length > MAX_CODES) throw invalidStatusCode(`too many status codes: ${items.length}`)
  refuseInterim(items)
  const statuses = items.map(parseItem)
  if (statuses.every(({ weight }) => weight === 0)) throw invalidStatusCode('the weights add up to 0')
  return statuses
}

/** Checks all codes for interim codes first, so that this error takes precedence over others. */
function refuseInterim(items: string[]): void {
  for (const item of items) {
    const code = parseInteger(item.split(':', 1)[0]!)
    if (code !== null && code >= 100 && code < 200) throw unsupportedStatusCode(code)
  }
}

function parseItem(item: string): WeightedStatus {
  const colon = item.indexOf(':')
  const codeText = colon === -1 ? item : item.slice(0, colon)
  const status = parseInteger(codeText)
  if (status === null || status < 200 || status > 599)
    throw invalidStatusCode(`invalid status code ${quoteInput(codeText)}`)
  if (colon === -1) return { status, weight: 1 }
  const weightText = item.slice(colon + 1)
  const weight = parseDecimal(weightText)
  if (weight === null) throw invalidStatusCode(`invalid weight ${quoteInput(weightText)} for ${status}`)
  return { status, weight: Math.min(weight, MAX_WEIGHT) }
}

/** Selects a status in proportion to the weights. `random` returns [0, 1). */
export function selectStatus(statuses: readonly WeightedStatus[], random: () => number = Math.random): number {
  const candidates = statuses.filter(({ weight }) => weight > 0)
  let rest = random() * candidates.reduce((sum, { weight }) => sum + weight, 0)
  for (const { status, weight } of candidates) {
    rest -= weight
    if (rest < 0) return status
  }
  // Rounding errors can leave a small remainder after the last weight.
  return candidates.at(-1)!.status
}
