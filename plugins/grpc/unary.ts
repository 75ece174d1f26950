/** What services of plugins have in common in their unary methods, and how they end a call. */
import type { OpenCalls } from './bridge/open-calls.ts'
import type { GrpcServices } from './types.ts'

/** Of `status`, whose package is loaded with the first call. */
const CANCELLED = 1
const INVALID_ARGUMENT = 3

class GrpcFailure extends Error {
  readonly code: number
  readonly details: string

  constructor(code: number, details: string) {
    super(details)
    this.code = code
    this.details = details
  }
}

/** `GrpcServices.failure`. */
export const failure: GrpcServices['failure'] = (code, details) => new GrpcFailure(code, details)

/** `GrpcServices.unary`. */
export const unaryOf =
  (open: OpenCalls): GrpcServices['unary'] =>
  answer =>
  async (call, reply) => {
    const request = open.find(call.metadata)?.request
    if (request === undefined) throw failure(CANCELLED, 'the call has ended')
    let message
    try {
      message = await answer(call, request)
    } catch (error) {
      // Recognized by its code, as after a reload.
      const { code, body } = (error ?? {}) as { code?: unknown; body?: { details?: string } }
      throw code === 'SVC_HTTP_ERROR' ? failure(INVALID_ARGUMENT, body?.details ?? 'invalid request') : error
    }
    reply(null, message)
  }
