/** Ends a stream with a gRPC status. */
export class StreamError extends Error {
  readonly code: number
  readonly details: string

  constructor(code: number, details: string) {
    super(details)
    this.code = code
    this.details = details
  }
}
