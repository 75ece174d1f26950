/** Describes injected faults and the end of a response. */
import { formatBytes, type Entry } from '../protocol/http.ts'

/** The injected fault and its source. */
export function faultText({ fault, fault_source: source }: Pick<Entry, 'fault' | 'fault_source'>): string {
  return `the instance injected ${fault === 'ai' ? 'a provider fault' : `the fault ${fault}`}: ${source}`
}

/** How the response ended. */
export function endText({ ended, status, bytes_sent: bytes }: Pick<Entry, 'ended' | 'status' | 'bytes_sent'>): string {
  switch (ended) {
    case 'open':
      return `in progress, ${formatBytes(bytes)} sent so far`
    case 'aborted':
      return status === 444
        ? 'aborted by the instance before the response'
        : `aborted by the instance after ${formatBytes(bytes)} of the body`
    case 'client_left':
      return status === 499
        ? 'client disconnected before the response'
        : `client disconnected after ${formatBytes(bytes)} of the body`
    case 'complete':
      return `complete, body of ${formatBytes(bytes)}`
  }
}
