/** Checks the `resource` parameters of an authorization request (RFC 8707, 2.1). */
import { checkResources } from '../requests/resource.ts'
import type { Check } from './authorization-request.ts'

/** Throws `invalid_target`. */
export const checkResource: Check = request => {
  request.resources = checkResources(request.parameters.getAll('resource'))
}
