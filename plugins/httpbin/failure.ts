/** Errors in the formats of the originals. */
import { STATUS_CODES } from 'node:http'
import { quoteInput } from 'svc/plugin'
import type { Original } from './operation.ts'
import { goJson } from './response/json.ts'

/** Thrown by an operation. `detail` is one line; go-httpbin also sends errors without one. */
export class Failure extends Error {
  readonly status: number
  readonly detail: string | undefined
  readonly headers: Record<string, string>
  constructor(status: number, detail?: string, headers: Record<string, string> = {}) {
    super(detail ?? STATUS_CODES[status])
    this.status = status
    this.detail = detail
    this.headers = headers
  }
}

/** Thrown by an operation whose path does not exist in the original, such as `/bytes/x`. */
export class NoSuchPath extends Error {}

/** Body and headers of an error. */
export function renderFailure({ status, detail, headers }: Failure, original: Original) {
  if (original === 'httpbin')
    return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body: detail ?? '' }
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: goJson({
      status_code: status,
      error: STATUS_CODES[status] ?? '',
      ...(detail === undefined ? {} : { detail }),
    }),
  }
}

export function missing(parameter: string, original: Original): Failure {
  return new Failure(
    400,
    original === 'httpbin'
      ? `the parameter ${quoteInput(parameter)} is missing`
      : `missing required query parameter: ${parameter}`,
  )
}
