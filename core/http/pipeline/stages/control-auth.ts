/** The stage that protects the control plane, and tells later stages which credential the request has. */
import { sendResponse } from '../../response/send.ts'
import { presentedCredential } from '../../access/admin-guard.ts'
import { readBearerToken } from '../../../fields/authorization.ts'
import type { RequestContext } from '../../request/context.ts'
import { isTokenShaped, type ControlAuth, type Grant, type RefusalReason } from '../../access/control-auth.ts'
import { neededScope, type Scope } from '../../access/scopes.ts'
import { isBelow } from '../../../fields/request-target.ts'
import type { PipelineServices } from '../stage.ts'

const CHALLENGE = 'Bearer realm="svc-control"'

/** 401 without a valid credential, 403 if its scope is too low. */
export function authenticateControl(
  context: RequestContext,
  { controlAuth }: Pick<PipelineServices, 'controlAuth'>,
): boolean | Promise<boolean> {
  if (controlAuth.mode === 'open') return true
  if (context.path === null || !isBelow(context.path, '/_svc') || context.path === '/_svc/ready')
    return recognize(context, controlAuth)
  const { path } = context
  const grant = controlAuth.verify(presentedCredential(context.request.headers))
  return grant instanceof Promise
    ? grant.then(judged => admit(context, path, judged, controlAuth))
    : admit(context, path, grant, controlAuth)
}

function admit(context: RequestContext, path: string, grant: Grant, { mode }: ControlAuth): boolean {
  if (context.closed) return false
  if ('reason' in grant) {
    refuse(context, grant.reason, mode)
    return false
  }
  const needed = context.description?.controlScope ?? neededScope(context.method, path)
  if (!grant.scopes.includes(needed)) {
    rejectScope(context, needed, grant.scopes, mode)
    return false
  }
  context.hasControlCredential = true
  context.controlAdmin = grant.scopes.includes('admin')
  context.controlScopes = grant.scopes
  return true
}

/** On other paths a token with scope `admin` counts as the admin token, and valid tokens are recorded for redaction. */
function recognize(context: RequestContext, controlAuth: ControlAuth): boolean | Promise<boolean> {
  if (controlAuth.mode !== 'jwt') return true
  const { headers } = context.request
  const presented = presentedCredential(headers)
  const candidates = new Set([
    presented,
    readBearerToken(headers.authorization),
    ...wordsOf(headers.authorization),
    ...wordsOf(headers['proxy-authorization']),
  ])
  const tokens = [...candidates].filter(token => token !== null && isTokenShaped(token))
  if (tokens.length === 0) return true
  return Promise.all(
    tokens.map(async token => {
      const grant = await controlAuth.verify(token)
      if (token === presented && 'scopes' in grant) context.controlAdmin = grant.scopes.includes('admin')
    }),
  ).then(() => !context.closed)
}

/** A token is also redacted if it has no scheme or is meant for a proxy. */
function wordsOf(field: string | undefined): string[] {
  return field === undefined ? [] : field.split(/[ \t,]+/, 4)
}

function refuse(context: RequestContext, reason: RefusalReason, mode: ControlAuth['mode']): void {
  const isMissing = reason === 'missing_token'
  sendResponse(context, {
    status: 401,
    headers: {
      'WWW-Authenticate': isMissing ? CHALLENGE : `${CHALLENGE}, error="invalid_token", error_description="${reason}"`,
    },
    body: {
      error: isMissing
        ? 'the control plane requires a credential: send Authorization: Bearer <token> or X-Svc-Admin-Token'
        : 'invalid credential',
      reason,
      control_auth: mode,
    },
  })
}

function rejectScope(
  context: RequestContext,
  needed: Scope,
  scopes: readonly Scope[],
  mode: ControlAuth['mode'],
): void {
  sendResponse(context, {
    status: 403,
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="insufficient_scope"` },
    body: {
      error: `this ${needed === 'admin' ? 'change' : 'view'} requires scope ${needed}`,
      reason: 'insufficient_scope',
      scopes,
      control_auth: mode,
    },
  })
}
