/** Owns the answer that a route throws. */

/**
 * An answer thrown from a route: status, body and headers as given. Recognized by its `code`, never by its class,
 * since after a reload two copies of a class exist.
 */
export class HttpError extends Error {
  readonly code = 'SVC_HTTP_ERROR'
  readonly status: number
  /** The same, as Fastify's error handlers know it. */
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

/** The usual refusal: `{"error": "<code>", "details": "<sentence>"}`. */
export function refusal(status: number, error: string, details: string): HttpError {
  return new HttpError(status, { error, details })
}

/** 400 for a query parameter: `{"error": "invalid_parameter", "parameter": "<name>", "details": "<sentence>"}`. */
export function invalidParameter(parameter: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_parameter', parameter, details })
}
