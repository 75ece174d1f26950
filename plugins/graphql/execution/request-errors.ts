/** Results of requests that were not executed. */
import type { ExecutionResult } from 'graphql'
import { rejectedDocument } from '../errors.ts'

/** A result without `data` means that the variables are invalid (GraphQL, 6.1.2). */
export function addErrorCode(result: ExecutionResult): ExecutionResult {
  if (!isRequestError(result)) return result
  return { errors: result.errors!.map(error => rejectedDocument(error, 'BAD_USER_INPUT')) }
}

/** Whether nothing was executed (GraphQL, 7.1.2: the result has errors and no `data` entry). */
export function isRequestError(result: unknown): result is ExecutionResult {
  if (typeof result !== 'object' || result === null || 'data' in result || Symbol.asyncIterator in result) return false
  return 'errors' in result && Array.isArray(result.errors)
}
