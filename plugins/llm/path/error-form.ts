/** Formats core errors as errors of a provider: body too large, timeout, exception, unknown path. */
import type { CoreFailure, ErrorForm } from 'svc/plugin'
import { errorResponse, type ResponseContext } from '../call/error-responses.ts'
import { type ErrorDetails, kinds } from '../contract/errors.ts'
import { findCredential, showCredential } from '../headers/credentials.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import type { ErrorKind } from '../contract/provider.ts'
import { keepHeaders, keepQuery } from '../records/records.ts'
import type { CallServices } from '../call/services.ts'
import { callOf } from '../usage/entry.ts'

const kindOf: Readonly<Record<CoreFailure['kind'], ErrorKind>> = {
  payload_too_large: 'too_large',
  timeout: 'unavailable',
  unavailable: 'unavailable',
  internal: 'server_error',
  injected: 'server_error',
  refused: 'bad_request',
  unrouted: 'unknown_route',
}

/** The error form of a provider's routes. It also records the errors. */
export function createErrorForm(instance: ProviderInstance, { svc, records, ledger }: CallServices): ErrorForm {
  return (failure, facts) => {
    const [path = '', search] = facts.url.split('?', 2)
    const credential = findCredential(instance.format.credentials, facts.headers, () => new URLSearchParams(search))
    const context: ResponseContext = {
      requestId: failure.requestId,
      path,
      instanceId: svc.instance.id,
      credential,
      shownCredential: showCredential(credential),
      startedAt: performance.now(),
      rateLimits: null,
      model: null,
      limited: null,
      validation: null,
      shownDirective: null,
    }
    const kind = failure.kind === 'unrouted' && failure.status === 405 ? 'wrong_method' : kindOf[failure.kind]
    const details: ErrorDetails = { status: failure.status }
    if (failure.kind === 'unrouted') details.message = unroutedMessage(instance, kind, facts.method, path)
    else if (failure.kind === 'refused' && typeof failure.body.detail === 'string')
      details.message = failure.body.detail
    const { status, headers, body } = errorResponse(instance, context, kind, details)
    const { session } = facts
    records.add({
      request_id: failure.requestId,
      at: Date.now(),
      provider: instance.name,
      method: facts.method,
      endpoint: path,
      query: keepQuery(facts.url, svc.inspector),
      model: null,
      mode: null,
      stream: false,
      credential: credential === null ? null : context.shownCredential,
      headers: keepHeaders(facts.headers, svc.inspector),
      body: '',
      json: false,
      normalized_prompt: '',
      prompt_tokens: 0,
      cached_tokens: 0,
      completion_tokens: 0,
      finish_reason: 'error',
      reply_preview: '',
      guardrail: null,
      status,
      fault: null,
      rule: null,
      validation: null,
      violations: [],
      directive: null,
      session_header: session,
      session: session ?? '',
    })
    // What the plan or the connection's rules refuse never reached the model.
    if (failure.kind !== 'refused')
      ledger.add({
        ...callOf(instance.name, {
          provider: instance.name,
          op: 'other',
          endpoint: path,
          session: session === null ? '' : `header:${session}`,
          status,
          requestId: failure.requestId,
        }),
        key: context.shownCredential,
        credential,
      })
    return { status, headers, body }
  }
}

const maxPathCharacters = 200

/** A message with the requested method and path. */
function unroutedMessage(instance: ProviderInstance, kind: ErrorKind, method: string, path: string): string {
  const shown = path.slice(0, maxPathCharacters)
  return (instance.format.messages?.[kind] ?? kinds[kind].message)
    .replace('{method}', () => method)
    .replace('{path}', () => shown)
}
