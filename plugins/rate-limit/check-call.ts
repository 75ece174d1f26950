/** What a call must have, whichever protocol it comes by. */
import type { LimitCall } from './limit.ts'

const MAX_DESCRIPTORS = 100
const MAX_ENTRIES = 50
const MAX_DOMAIN = 1000

/** Why a call can't be answered. `isOfService`: in the words of the reference service. */
export interface CallProblem {
  message: string
  isOfService: boolean
}

/** Null if the call is right. */
export function problemOf({ domain, descriptors }: LimitCall): CallProblem | null {
  if (domain === '') return { message: 'rate limit domain must not be empty', isOfService: true }
  if (descriptors.length === 0) return { message: 'rate limit descriptor list must not be empty', isOfService: true }
  const wrong = (message: string): CallProblem => ({ message, isOfService: false })
  if (domain.length > MAX_DOMAIN) return wrong(`the domain has more than ${MAX_DOMAIN} characters`)
  if (descriptors.length > MAX_DESCRIPTORS)
    return wrong(`${descriptors.length} descriptors, expected at most ${MAX_DESCRIPTORS}`)
  for (const [index, { entries }] of descriptors.entries()) {
    if (entries.length === 0) return wrong(`descriptors[${index}] has no entries`)
    if (entries.length > MAX_ENTRIES)
      return wrong(`descriptors[${index}] has ${entries.length} entries, expected at most ${MAX_ENTRIES}`)
    const empty = entries.findIndex(({ key }) => key === '')
    if (empty !== -1) return wrong(`descriptors[${index}].entries[${empty}] has an empty key`)
  }
  return null
}
