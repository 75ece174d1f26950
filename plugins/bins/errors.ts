/** What the plugin `bins` refuses, and how. */
import { HttpError, invalidParameter, quoteInput, refusal } from 'svc/plugin'

export function invalidJson(): HttpError {
  return refusal(
    400,
    'invalid_json',
    'the body is not a JSON object in UTF-8 (expected an empty body or an object with status, headers, body, delay_ms)',
  )
}

export function invalidBin(what: string): HttpError {
  return refusal(400, 'invalid_bin', what)
}

/** An id that was never given, or whose bin has been deleted, evicted or has expired. */
export function binNotFound(id: string): HttpError {
  return new HttpError(404, {
    error: 'bin not found',
    bin: id,
    hint: 'bins are deleted on request, when their time is over, and when newer ones need the room; POST /bin makes a new one',
  })
}

export function requestNotFound(seq: number, newest: number): HttpError {
  return refusal(
    404,
    'request_not_found',
    newest === 0
      ? 'the bin has received no request yet'
      : `request ${seq} is not stored (the newest is ${newest}, older ones make room for it)`,
  )
}

export function invalidSequenceNumber(text: string): HttpError {
  return invalidParameter('n', `invalid sequence number ${quoteInput(text)} (expected an integer)`)
}

export function binsFull(max: number): HttpError {
  return refusal(503, 'bins_full', `all ${max} bins of this instance are in use; delete one, or wait until one expires`)
}

/** Also `bins_full`: what is too much are bytes. */
export function binsHoldTooMuch(): HttpError {
  return refusal(
    503,
    'bins_full',
    'the bins of this instance hold as much as they may; delete one, or wait until one expires',
  )
}

export function tooManyBins(max: number): HttpError {
  return refusal(429, 'too_many_bins', `this session has ${max} bins already; delete one with DELETE /bin/{id}`)
}

/** The paths below a bin that show what it has captured are never captured themselves (RFC 9110, 15.5.6). */
export function inspectionIsReadOnly(method: string, path: string): HttpError {
  return new HttpError(
    405,
    { error: 'method not allowed', method, path, allow: ['GET', 'HEAD'] },
    { Allow: 'GET, HEAD' },
  )
}
