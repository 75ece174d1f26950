/** Writes what was decided as a `CheckResponse`. */
import type { JsonObject } from 'svc/plugin'
import { type HeaderLine, structOf } from 'svc/toolkit'
import { denialBody, type Decision } from '../decision.ts'
import type { CheckResponse, HeaderValueOption } from './messages.ts'

const OK = 0
const PERMISSION_DENIED = 7
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

export function decidedResponse(policy: string, decision: Decision): CheckResponse {
  return decision.decision === 'allow' ? allowed(decision) : denied(policy, decision)
}

/** The service says that it failed; a gateway that does not know `error_response` denies. */
export function errorResponse(policy: string, status: number, reason: string): CheckResponse {
  return {
    status: { code: UNAVAILABLE, message: reason },
    error_response: {
      status: { code: status },
      headers: options([['content-type', 'application/json']], []),
      body: JSON.stringify({ error: 'service_failed', policy, details: reason }),
    },
  }
}

function allowed({ reason, headers, responseHeaders, query, metadata }: Decision): CheckResponse {
  return {
    status: { code: OK, message: reason },
    ok_response: {
      headers: options(headers.set, headers.append),
      headers_to_remove: headers.remove,
      response_headers_to_add: options(responseHeaders.set, responseHeaders.append),
      query_parameters_to_set: (query?.set ?? []).map(([key, value]) => ({ key, value })),
      query_parameters_to_remove: query?.remove ?? [],
    },
    ...metadataOf(metadata),
  }
}

function denied(policy: string, { status, reason, responseHeaders, body, metadata }: Decision): CheckResponse {
  const isText = typeof body === 'string'
  const hasType = responseHeaders.set.some(([name]) => name.toLowerCase() === 'content-type')
  const type: HeaderLine = ['content-type', isText ? 'text/plain; charset=utf-8' : 'application/json']
  return {
    status: { code: status === 401 ? UNAUTHENTICATED : PERMISSION_DENIED, message: reason },
    denied_response: {
      status: { code: status },
      headers: options([...(hasType ? [] : [type]), ...responseHeaders.set], responseHeaders.append),
      body: isText ? body : JSON.stringify(body ?? denialBody(policy, reason)),
    },
    ...metadataOf(metadata),
  }
}

function options(set: readonly HeaderLine[], append: readonly HeaderLine[]): HeaderValueOption[] {
  const option =
    (append_action: HeaderValueOption['append_action']) =>
    ([key, value]: HeaderLine): HeaderValueOption => ({ header: { key: key.toLowerCase(), value }, append_action })
  return [...set.map(option('OVERWRITE_IF_EXISTS_OR_ADD')), ...append.map(option('APPEND_IF_EXISTS_OR_ADD'))]
}

function metadataOf(metadata: JsonObject | undefined): Pick<CheckResponse, 'dynamic_metadata'> {
  return metadata === undefined ? {} : { dynamic_metadata: structOf(metadata) }
}
