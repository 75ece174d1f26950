/** Requests that a page of any origin can make a browser send, without a preflight (Fetch standard, 4.9). */
import { csrfBlocked } from '../errors.ts'
import { mediaTypeOf } from './http-request.ts'

/** Types that a browser sends without a preflight; none at all is the fourth. */
const SIMPLE_TYPES = ['', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']
/** One of these is enough: none can be sent without a preflight. */
const HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name', 'graphql-require-preflight']

/** Throws a GraphQLError with the status 400 for such a request. */
export function refuseSimple(headers: Readonly<Record<string, string | string[] | undefined>>): void {
  const contentType = headers['content-type']
  if (!SIMPLE_TYPES.includes(mediaTypeOf(contentType?.toString()))) return
  if (HEADERS.every(name => headers[name] === undefined || headers[name] === '')) throw csrfBlocked(HEADERS)
}
