/** The stages of shared mode: identify the API key of a request, and apply its limits. */
import type { KeyAdmission } from '../../../keys/key-limits.ts'
import { findKey } from '../../../keys/api-key.ts'
import type { Rejection } from '../../../limits/plan-rejection.ts'
import { sendResponse } from '../../response/send.ts'
import type { RequestContext } from '../../request/context.ts'
import { firstHeader } from '../../request/header.ts'
import { isBelow } from '../../../fields/request-target.ts'
import type { PipelineServices } from '../stage.ts'

/** 401 for an invalid key, or for a missing one if a key is required. */
export function identifyKey(context: RequestContext, { keys }: PipelineServices): boolean {
  if (keys === null || isExempt(context)) return true
  const identity = keys.identify(keyOf(context))
  if (identity === null) return true
  if ('rejection' in identity) {
    sendResponse(context, identity.rejection)
    return false
  }
  context.apiKey = identity.record
  return true
}

/** The key of a request. */
export function keyOf({ request, url }: Pick<RequestContext, 'request' | 'url'>): string | null {
  return findKey(firstHeader(request, 'x-svc-key'), url)
}

/** 429 if the key has exceeded its rate or daily quota. The request is then removed from the counters of the plan. */
export function limitByKey(context: RequestContext, { keys }: PipelineServices): boolean | Promise<boolean> {
  if (keys === null || context.apiKey === null || context.keyAdmission !== null) return true
  const outcome = keys.admit(context.apiKey)
  return outcome instanceof Promise ? outcome.then(later => applyKey(context, later)) : applyKey(context, outcome)
}

/** Continues, or sends the rejection. */
export function applyKey(context: RequestContext, outcome: KeyAdmission | Rejection): boolean {
  const { response } = context
  if ('status' in outcome) {
    context.gate = null
    context.lease?.giveBack({ withToken: true })
    response.removeHeader('X-Svc-Plan')
    response.removeHeader('X-Svc-Quota-Remaining')
    sendResponse(context, outcome)
    return false
  }
  context.keyAdmission = outcome
  if (!response.headersSent) {
    response.setHeader('X-Svc-Key-Id', context.apiKey!.id)
    if (outcome.remaining !== null) response.setHeader('X-Svc-Key-Quota-Remaining', outcome.remaining)
  }
  return !context.closed
}

/** Paths requested by browsers, probes and the pages of svc, and discovery documents; plugins exempt more. */
const EXEMPT_PATHS = new Set(['/favicon.ico', '/openapi.json'])
const EXEMPT_PREFIXES = ['/_svc', '/.well-known']

function isExempt({ path, routedPath, method, generation }: RequestContext): boolean {
  if (path === null) return false
  if (EXEMPT_PATHS.has(path) || EXEMPT_PREFIXES.some(prefix => isBelow(path, prefix))) return true
  if (path === '/health' && (method === 'GET' || method === 'HEAD')) return true
  return generation.exemptions.has('keys', routedPath)
}
