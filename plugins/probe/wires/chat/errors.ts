/** Errors of OpenAI's API: `{"error": {message, type, param, code}}`. */
import { errorOfAnswer, type FoundError } from '../errors.ts'
import type { WireAnswer, WireError } from '../types.ts'
import { isRecord } from 'svc/toolkit'
import { member } from '../values.ts'

export function readOpenAiError(answer: WireAnswer): WireError | null {
  return errorOfAnswer(answer, findError)
}

function findError(body: unknown): FoundError | null {
  const error = member(body, 'error')
  return isRecord(error) && typeof error.message === 'string' ? error : null
}
