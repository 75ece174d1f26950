/** Calls the instance that served the console: its control plane and its switches. */
import { signal } from '@preact/signals'
import { instanceBase, page } from './page.ts'
import { adminToken, controlToken, settings } from '../shell/storage.ts'
import { CONSOLE_HEADER, LOOK_UP } from './gateway.ts'
import { expiryOf } from '../tokens/jwt.ts'

/** A response with an error status. */
export class ApiError extends Error {
  readonly status: number
  /** The JSON of the response, or its text. */
  readonly body: unknown

  constructor(status: number, body: unknown, message: string) {
    super(message)
    this.status = status
    this.body = body
  }
}

/** The instance did not respond. */
export class InstanceUnreachableError extends Error {}

/** Reason for the sign-in screen; empty: no attempt yet. Null: no sign-in screen. */
export const signInReason = signal<string | null>(page.controlAuth !== 'open' && controlToken.value === '' ? '' : null)

export interface ApiRequest {
  method?: string
  /** Sent as JSON. */
  json?: unknown
  /** Sent unchanged. */
  body?: BodyInit
  headers?: Record<string, string>
  /** Send the admin token, since the route requires it. */
  admin?: boolean
  signal?: AbortSignal
}

/**
 * Calls a path of the instance, relative to its base (`_svc/status`, `health/toggle`). Sends the token of the control
 * plane only to `_svc/`, as a header. Throws ApiError for any status other than 2xx, and InstanceUnreachableError if
 * there is no response.
 */
export async function call(path: string, request: ApiRequest = {}): Promise<Response> {
  const relative = path.replace(/^\//, '')
  const token = controlToken.peek()
  if (relative.startsWith('_svc/') && page.controlAuth !== 'open') {
    if (token === '') throw new ApiError(401, { reason: 'missing_token' }, 'Sign in first.')
    if (isExpired(token)) {
      signOut('expired')
      throw new ApiError(401, { reason: 'expired' }, 'The token has expired.')
    }
  }
  const response = await fetchPath(relative, request)
  if (response.ok) return response
  const error = await errorOf(response)
  const facts = error.body as { control_auth?: unknown; reason?: unknown }
  // A response to a request with an earlier token says nothing about the current one.
  if (error.status === 401 && facts?.control_auth !== undefined && token === controlToken.peek())
    signOut(String(facts.reason ?? 'refused'))
  throw error
}

/** Calls a path and returns the JSON of the response. */
export async function callJson<T>(path: string, request?: ApiRequest): Promise<T> {
  return (await (await call(path, request)).json()) as T
}

/** Shows the sign-in screen with a reason, and keeps the state of the view. */
function signOut(reason: string): void {
  controlToken.value = ''
  signInReason.value = reason
}

function isExpired(token: string): boolean {
  const expiry = page.controlAuth === 'jwt' ? expiryOf(token) : null
  return expiry !== null && expiry < Date.now()
}

async function fetchPath(
  relative: string,
  { method, json, body, headers, admin, signal }: ApiRequest,
): Promise<Response> {
  const sent = new Headers(headers)
  if (settings.value.session !== '') sent.set('X-Svc-Session', settings.value.session)
  if (relative.startsWith('_svc/') && controlToken.value !== '')
    sent.set('Authorization', `Bearer ${controlToken.value}`)
  if (admin && adminToken.value !== '') sent.set('X-Svc-Admin-Token', adminToken.value)
  if (!relative.startsWith('_svc/') && (method ?? 'GET') === 'GET') sent.set(CONSOLE_HEADER, LOOK_UP)
  if (json !== undefined) sent.set('Content-Type', 'application/json')
  try {
    return await fetch(instanceBase + relative, {
      method: method ?? 'GET',
      headers: sent,
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
      signal: signal ?? null,
      cache: 'no-store',
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new InstanceUnreachableError('The instance is not responding.')
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  let body: unknown = text
  try {
    body = JSON.parse(text)
  } catch {
    /* not JSON: keep the text */
  }
  const facts = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return new ApiError(response.status, body, messageOf(response, facts))
}

function messageOf({ status, headers }: Response, facts: Record<string, unknown>): string {
  const limit = headers.get('x-svc-limit')
  if (status === 429)
    return limit === null
      ? 'Too many requests: a gateway in front of the instance rejected the request.'
      : `A limit of this instance is reached (${limit}).`
  if (facts.reason === 'insufficient_scope')
    return `${String(facts.error ?? 'Not allowed')}. Granted: ${(facts.scopes as string[] | undefined)?.join(', ') || 'nothing'}.`
  if ((status === 401 || status === 403) && page.controlAuth === 'open')
    return `${sentence(facts.error ?? 'Not allowed')} Enter the admin token in the settings.`
  const detail = facts.message ?? facts.detail ?? facts.details
  return facts.error === undefined
    ? `The instance returned status ${status}.`
    : sentence(`${String(facts.error)}${typeof detail === 'string' ? `: ${detail}` : ''}`)
}

function sentence(value: unknown): string {
  const text = String(value)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The message of anything that was thrown. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
