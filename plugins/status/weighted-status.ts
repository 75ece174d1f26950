/** Owns lists of status codes with weights, such as `200:0.9,500:0.1`, and the draw among them. */
import { parseDecimal, parseInteger, quoteInput } from 'svc/plugin'
import { invalidStatusCode, unsupportedStatusCode } from './errors.ts'

export interface WeightedStatus {
  /** 200 to 599. */
  status: number
  /** Relative to the others; 0 is never drawn. */
  weight: number
}

const MAX_CODES = 20
/** Twenty of them can still be added up. */
const MAX_WEIGHT = 1e300

/**
 * Reads one code, or a list of `code` and `code:weight` separated by commas; without a weight it is 1. Throws
 * `unsupported_status_code` when an interim code (1xx) is among them, `invalid_status_code` for all else that is wrong.
 */
export function parseStatuses(spec: string): WeightedStatus[] {
  const items = spec.split(',').map(item => item.trim())
  if (items.length > MAX_CODES) throw invalidStatusCode(`too many status codes: ${items.length}`)
  refuseInterim(items)
  const statuses = items.map(parseItem)
  if (statuses.every(({ weight }) => weight === 0)) throw invalidStatusCode('the weights add up to 0')
  return statuses
}

/** Names the interim code wherever it stands, so that its message wins over those of other mistakes. */
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

/** Draws a status in proportion to the weights. `random` answers 0 to below 1. */
export function drawStatus(statuses: readonly WeightedStatus[], random: () => number = Math.random): number {
  const candidates = statuses.filter(({ weight }) => weight > 0)
  let rest = random() * candidates.reduce((sum, { weight }) => sum + weight, 0)
  for (const { status, weight } of candidates) {
    rest -= weight
    if (rest < 0) return status
  }
  // Rounding can leave a trace of the sum behind the last one.
  return candidates.at(-1)!.status
}
