/** Calls of the instance that the console was loaded from: its control plane, and its own switches. */
import { signal } from '@preact/signals'
import { instanceBase, page } from './page.ts'
import { adminToken, controlToken, settings } from '../shell/storage.ts'
import { CONSOLE_HEADER, LOOK_UP } from './gateway.ts'
import { expiryOf } from '../tokens/jwt.ts'

/** An answer that is no success. */
export class ApiError extends Error {
  readonly status: number
  /** The JSON of the answer, or its text. */
  readonly body: unknown

  constructor(status: number, body: unknown, message: string) {
    super(message)
    this.status = status
    this.body = body
  }
}

/** The instance did not answer at all. */
export class AwayError extends Error {}

/** Why the sign-in screen is shown; null: signed in, or no need to be. Empty: nothing was tried yet. */
export const signInReason = signal<string | null>(page.controlAuth !== 'open' && controlToken.value === '' ? '' : null)

export interface ApiRequest {
  method?: string
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is. */
  body?: BodyInit
  headers?: Record<string, string>
  /** The admin token goes with it: the route is guarded. */
  admin?: boolean
  signal?: AbortSignal
}

/**
 * Calls a path of the instance, relative to its base (`_svc/status`, `health/toggle`). The control plane's token goes
 * to `_svc/` only, as a header. Throws ApiError for anything but a 2xx, AwayError when there is no answer.
 */
export async function call(path: string, request: ApiRequest = {}): Promise<Response> {
  const relative = path.replace(/^\//, '')
  const token = controlToken.peek()
  if (relative.startsWith('_svc/') && page.controlAuth !== 'open') {
    if (token === '') throw new ApiError(401, { reason: 'missing_token' }, 'Sign in first.')
    if (isOver(token)) {
      signOut('expired')
      throw new ApiError(401, { reason: 'expired' }, 'The token has expired.')
    }
  }
  const response = await ask(relative, request)
  if (response.ok) return response
  const error = await errorOf(response)
  const facts = error.body as { control_auth?: unknown; reason?: unknown }
  // An answer to an earlier token says nothing of the one that is used now.
  if (error.status === 401 && facts?.control_auth !== undefined && token === controlToken.peek())
    signOut(String(facts.reason ?? 'refused'))
  throw error
}

/** The JSON of an answer. */
export async function callJson<T>(path: string, request?: ApiRequest): Promise<T> {
  return (await (await call(path, request)).json()) as T
}

/** Shows the sign-in screen with a reason; the view stays as it is. */
function signOut(reason: string): void {
  controlToken.value = ''
  signInReason.value = reason
}

function isOver(token: string): boolean {
  const expiry = page.controlAuth === 'jwt' ? expiryOf(token) : null
  return expiry !== null && expiry < Date.now()
}

async function ask(relative: string, { method, json, body, headers, admin, signal }: ApiRequest): Promise<Response> {
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
    throw new AwayError('The instance does not answer.')
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  let body: unknown = text
  try {
    body = JSON.parse(text)
  } catch {
    /* text it is */
  }
  const facts = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return new ApiError(response.status, body, messageOf(response, facts))
}

function messageOf({ status, headers }: Response, facts: Record<string, unknown>): string {
  const limit = headers.get('x-svc-limit')
  if (status === 429)
    return limit === null
      ? 'Too many requests, says a gateway in front of the instance.'
      : `The plan of this instance is used up (${limit}).`
  if (facts.reason === 'insufficient_scope')
    return `${String(facts.error ?? 'Not allowed')}. Granted: ${(facts.scopes as string[] | undefined)?.join(', ') || 'nothing'}.`
  if ((status === 401 || status === 403) && page.controlAuth === 'open')
    return `${sentence(facts.error ?? 'Not allowed')} Enter the admin token in the settings.`
  const detail = facts.message ?? facts.detail ?? facts.details
  return facts.error === undefined
    ? `The instance answered ${status}.`
    : sentence(`${String(facts.error)}${typeof detail === 'string' ? `: ${detail}` : ''}`)
}

function sentence(value: unknown): string {
  const text = String(value)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** What to say about anything that was thrown. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
