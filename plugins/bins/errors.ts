/** Errors of the plugin `bins`. */
import { HttpError, invalidParameter, quoteInput, refusal } from 'svc/plugin'

export function invalidJson(): HttpError {
  return refusal(
    400,
    'invalid_json',
    'the body must be empty, or a JSON object in UTF-8 with status, headers, body or delay_ms',
  )
}

export function invalidBin(what: string): HttpError {
  return refusal(400, 'invalid_bin', what)
}

/** The bin never existed, or was deleted or evicted, or has expired. */
export function binNotFound(id: string): HttpError {
  return new HttpError(404, {
    error: 'bin not found',
    bin: id,
    hint: 'a bin is removed when it is deleted, when it expires, or when newer bins replace it; create a new one with POST /bin',
  })
}

export function requestNotFound(seq: number, newest: number): HttpError {
  return refusal(
    404,
    'request_not_found',
    newest === 0
      ? 'the bin has not received any requests yet'
      : `request ${seq} is not stored (the newest is ${newest}; a full bin drops its oldest requests)`,
  )
}

export function invalidSequenceNumber(text: string): HttpError {
  return invalidParameter('n', `invalid sequence number ${quoteInput(text)} (expected an integer)`)
}

export function binsFull(max: number): HttpError {
  return refusal(503, 'bins_full', `all ${max} bins of this instance are in use; delete one or wait until one expires`)
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
  return refusal(429, 'too_many_bins', `this session already has ${max} bins; delete one with DELETE /bin/{id}`)
}

/** Requests to the inspection paths of a bin are not captured (RFC 9110, 15.5.6). */
export function inspectionIsReadOnly(method: string, path: string): HttpError {
  return new HttpError(
    405,
    { error: 'method not allowed', method, path, allow: ['GET', 'HEAD'] },
    { Allow: 'GET, HEAD' },
  )
}
