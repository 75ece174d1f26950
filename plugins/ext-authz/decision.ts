/** What an authorization service decides, whichever protocol says it. */
import type { Json, JsonObject } from 'svc/plugin'
import { type HeaderChanges, type HeaderLine, NO_HEADER_CHANGES, settable } from 'svc/toolkit'

export interface Decision {
  decision: 'allow' | 'deny'
  /** The HTTP status of a denial. */
  status: number
  /** Why, for records and the body of a denial. */
  reason: string
  /** For the request that goes on. */
  headers: HeaderChanges
  /** For the response to the client. */
  responseHeaders: HeaderChanges
  /** Of a denial; undefined: the JSON that names the policy. A text or JSON. */
  body?: Json
  /** Whether the body and the headers come from a rule: whoever stored it must get no rights of the instance in a browser. */
  isFromRule?: boolean
  query?: { set: readonly HeaderLine[]; remove: readonly string[] }
  metadata?: JsonObject
}

/** The headers by which the services say who the client is; a client must not bring its own. */
export const IDENTITY_HEADERS = ['X-Svc-User', 'X-Svc-Scopes', 'X-Svc-Tenant'] as const

export interface Identity {
  user?: string | undefined
  scopes?: string | undefined
  tenant?: string | undefined
}

/** Lets the request go on. Identity headers that are not known are removed from it. */
export function allow(reason: string, { user, scopes, tenant }: Identity = {}): Decision {
  const values = [user, scopes, tenant].map(value => (value === undefined ? undefined : settable(value)))
  return {
    decision: 'allow',
    status: 200,
    reason,
    headers: {
      set: IDENTITY_HEADERS.flatMap((name, index): HeaderLine[] =>
        values[index] === undefined ? [] : [[name, values[index]]],
      ),
      append: [],
      remove: IDENTITY_HEADERS.filter((_name, index) => values[index] === undefined).map(name => name.toLowerCase()),
    },
    responseHeaders: NO_HEADER_CHANGES,
  }
}

/** The client gets this response in place of that of the upstream. */
export function deny(status: number, reason: string, responseHeaders: readonly HeaderLine[] = []): Decision {
  return {
    decision: 'deny',
    status,
    reason,
    headers: NO_HEADER_CHANGES,
    responseHeaders: { ...NO_HEADER_CHANGES, set: responseHeaders },
  }
}

/** The body of a denial without one of its own. */
export function denialBody(policy: string, reason: string): JsonObject {
  return { error: 'denied', policy, reason }
}

/** Whether a text is a path that a response may redirect to: it stays on the host of the client. */
export function isLocalPath(text: string): boolean {
  return /^\/(?!\/)[\x20-\x5b\x5d-\x7e]*$/.test(text)
}
