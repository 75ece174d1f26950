/** What the instance itself did to an answer, in words. */
import { formatBytes, type Entry } from '../protocol/http.ts'

/** The fault and what asked for it. */
export function faultText({ fault, fault_source: source }: Pick<Entry, 'fault' | 'fault_source'>): string {
  return `the instance injected ${fault === 'ai' ? 'a provider fault' : `the fault ${fault}`}: ${source}`
}

/** How the answer ended. */
export function endText({ ended, status, bytes_sent: bytes }: Pick<Entry, 'ended' | 'status' | 'bytes_sent'>): string {
  switch (ended) {
    case 'open':
      return `being sent, ${formatBytes(bytes)} so far`
    case 'aborted':
      return status === 444
        ? 'broken off by the instance before an answer'
        : `broken off by the instance after ${formatBytes(bytes)} of body`
    case 'client_left':
      return status === 499
        ? 'the client left before the answer'
        : `the client left after ${formatBytes(bytes)} of body`
    case 'complete':
      return `complete, ${formatBytes(bytes)} of body`
  }
}
