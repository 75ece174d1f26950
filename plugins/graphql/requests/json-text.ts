/** JSON in the parts of a request. */
import { badRequest } from '../errors.ts'

/** Parses JSON; `what` names it in the error. Throws a GraphQLError. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest(`${what} is not valid JSON`)
  }
}
