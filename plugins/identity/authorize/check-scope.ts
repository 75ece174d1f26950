/** The `scope` of an authorization request (RFC 6749, 3.3). */
import { userScope } from '../grants/grant-request.ts'
import type { Check } from './authorization-request.ts'

export const checkScope: Check = request => {
  request.scope = userScope(request.parameters, request.client)
}
