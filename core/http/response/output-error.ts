/** Responds when an answer does not fit its budget. */
import type { OutputTooLarge, OutputUnavailable } from '../../contract/budgets.ts'
import type { RequestContext } from '../request/context.ts'
import { sendError } from './send.ts'

/** `output_too_large` is a 400, since the same request can never be answered; `output_unavailable` a 503. */
export function sendOutputError(context: RequestContext, error: OutputTooLarge | OutputUnavailable): void {
  if (error.code === 'SVC_OUTPUT_UNAVAILABLE') {
    const body = { error: 'output_unavailable', details: error.message, retry_after_secs: 1 }
    sendError(context, { status: 503, kind: 'unavailable', body }, { 'Retry-After': '1' })
    return
  }
  const body = { error: 'output_too_large', limit: error.limit, details: error.message }
  sendError(context, { status: 400, kind: 'refused', body })
}
