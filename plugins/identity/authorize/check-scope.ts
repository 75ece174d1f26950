/** The `scope` of an authorization request (RFC 6749, 3.3). */
import { userScope } from '../grants/grant-request.ts'
import type { Check } from './authorization-request.ts'

/** Throws `invalid_scope`; what is not asked for is registered or usual. */
export const checkScope: Check = request => {
  request.scope = userScope(request.parameters, request.client)
}
