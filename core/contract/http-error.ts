/** Errors that a route throws to send a response. */

/**
 * An error that becomes the response, with the given status, body and headers. The host recognizes it by its `code`, not
 * by its class, since two copies of the class can exist after a reload.
 */
export class HttpError extends Error {
  readonly code = 'SVC_HTTP_ERROR'
  readonly status: number
  /** Same as `status`, for Fastify's error handlers. */
  readonly statusCode: number
  readonly body: object
  readonly headers: Record<string, string>
  constructor(status: number, body: object, headers: Record<string, string> = {}) {
    super(String((body as { error?: unknown }).error ?? status))
    this.status = status
    this.statusCode = status
    this.body = body
    this.headers = headers
  }
}

/**
 * A body that a route reads as it arrives (`svc.http.bodyStream`) ended early: the client has disconnected, or the core
 * has sent the 413. A route that throws it sends no response.
 */
export class IncompleteBody extends Error {
  readonly code = 'SVC_INCOMPLETE_BODY'
}

/** An error response with the usual body: `{"error": "<code>", "details": "<sentence>"}`. */
export function refusal(status: number, error: string, details: string): HttpError {
  return new HttpError(status, { error, details })
}

/**
 * A 400 response for an invalid query parameter:
 * `{"error": "invalid_parameter", "parameter": "<name>", "details": "<sentence>"}`.
 */
export function invalidParameter(parameter: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_parameter', parameter, details })
}
