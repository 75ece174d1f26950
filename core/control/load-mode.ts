/** Load mode captures no requests, so a route must not say that none came. */
import { HttpError } from '../contract/plugin.ts'
import type { Config } from '../config/variables.ts'

const NOT_CAPTURED =
  'this instance runs in load mode (SVC_LOAD_MODE), which captures no requests, so nothing can be said about those that came; /_svc/metrics counts them'

/** Throws a 409 in load mode. */
export function requireCaptures({ loadMode }: Config): void {
  if (loadMode) throw new HttpError(409, { error: 'nothing_captured', verified: false, message: NOT_CAPTURED })
}
