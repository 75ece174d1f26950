/** Determines the scope of an authorization request (RFC 6749, 3.3). */
import { userScope } from '../grants/grant-request.ts'
import type { Check } from './authorization-request.ts'

/** Throws `invalid_scope`. The default is the registered scope, or `DEFAULT_USER_SCOPE`. */
export const checkScope: Check = request => {
  request.scope = userScope(request.parameters, request.client)
}
