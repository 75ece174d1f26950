/** The body of a request without its content coding (RFC 9110, 8.4), which conditions, the inspector and most routes use. */
import type { SvcBudgets } from '../../contract/budgets.ts'
import { contentCodings, decodeContent } from '../../toolkit/content-coding.ts'
import { bodyLimitOf } from './body.ts'
import type { RequestContext } from './context.ts'

/** What reading a body needs from the process. */
export interface BodyServices {
  config: { bodyLimit: number }
  budgets: SvcBudgets
}

/**
 * Decodes the complete body, once. A body that can't be decoded counts as it was received, except for routes that read it:
 * they throw `context.codingError`. Resolves with false if the client has disconnected.
 */
export function decodeBody(context: RequestContext, { config, budgets }: BodyServices): true | Promise<boolean> {
  const field = context.request.headers['content-encoding']
  if (field === undefined || context.decodedBody !== null || context.codingError !== null) return true
  if (context.body.length === 0 || contentCodings(field).length === 0) return true
  const limit = bodyLimitOf(context, config.bodyLimit)
  const budget = budgets.detachedOutput(limit)
  context.whenClosed(() => budget.release())
  return decodeContent(context.body, field, { limit, budget }).then(
    decoded => {
      context.decodedBody = decoded
      return !context.closed
    },
    (error: Error) => {
      budget.release()
      context.codingError = error
      return !context.closed
    },
  )
}

/** The body as routes and conditions read it: decoded, if it was. */
export function contentOf({ decodedBody, body }: RequestContext): Buffer {
  return decodedBody ?? body
}

/** The same for a route. Throws if the body can't be decoded. */
export function contentForRoute(context: RequestContext): Buffer {
  if (context.codingError !== null) throw context.codingError
  return contentOf(context)
}
