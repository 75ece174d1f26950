/** Errors for which the client of a call is to blame. */
import { isTooExpensive } from 'svc/plugin'

/** The sentence for the client; null for another error. Errors are recognized by their code, as after a reload. */
export function clientError(error: unknown): string | null {
  if (isTooExpensive(error)) return (error as Error).message
  const { code, message, body } = error as { code?: string; message: string; body?: { details?: string } }
  if (code === 'SVC_INPUT_PROBLEM') return message
  return code === 'SVC_HTTP_ERROR' ? (body?.details ?? message) : null
}
