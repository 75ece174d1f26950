/** The response to a call over HTTP. */
import type { FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import { type HeaderLine, sandboxPolicy } from 'svc/toolkit'
import type { CheckResult } from '../authorizer.ts'
import { denialBody, type Decision } from '../decision.ts'

/** Envoy removes these headers from the request that goes on. */
const TO_REMOVE = 'x-envoy-auth-headers-to-remove'

/** What of a decision an HTTP answer has no place for. */
export function leftOutOfHttp({ query, metadata }: Decision): readonly string[] {
  return [...(query === undefined ? [] : ['query']), ...(metadata === undefined ? [] : ['metadata'])]
}

export function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  policy: string,
  result: CheckResult,
  { http }: Pick<Svc, 'http'>,
): FastifyReply {
  reply.header('Cache-Control', 'no-store')
  switch (result.kind) {
    case 'decided':
      reply.headers({ 'X-Svc-Authz-Decision': result.decision.decision, 'X-Svc-Authz-Policy': policy })
      return result.decision.decision === 'allow'
        ? allowed(reply, result.decision)
        : denied(reply, policy, result.decision)
    case 'error':
      if (result.retryAfterSecs !== null) reply.header('Retry-After', String(result.retryAfterSecs))
      return failed(reply, policy, result.status, result.reason)
    case 'timeout':
      return failed(reply, policy, 503, 'no answer in time')
    default:
      return breakAnswer(request, reply, result, { http })
  }
}

/** Ends the connection in place of an answer. */
export function breakAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  result: Extract<CheckResult, { kind: 'abort' | 'malformed' | 'left' }>,
  { http }: Pick<Svc, 'http'>,
): FastifyReply {
  reply.hijack()
  if (result.kind !== 'left') http.breakConnection(request, result.kind === 'abort' ? result.abort : 'truncate')
  return reply
}

/** Gateways copy headers of the answer to the request, and some of them to the response. */
function allowed(reply: FastifyReply, { headers, responseHeaders }: Decision): FastifyReply {
  add(reply, [...responseHeaders.set, ...headers.set], [...responseHeaders.append, ...headers.append])
  if (headers.remove.length > 0) reply.header(TO_REMOVE, headers.remove.join(','))
  return reply.code(200).send('')
}

function denied(reply: FastifyReply, policy: string, decision: Decision): FastifyReply {
  const { status, reason, responseHeaders, isFromRule = false, body } = decision
  const isText = typeof body === 'string'
  reply.code(status).type(isText ? 'text/plain; charset=utf-8' : 'application/json')
  add(reply, responseHeaders.set, responseHeaders.append)
  if (isFromRule) {
    const sandbox = sandboxPolicy(textOf(reply, 'content-type'), textOf(reply, 'content-security-policy'))
    if (sandbox !== null) reply.header('Content-Security-Policy', sandbox)
    reply.header('X-Content-Type-Options', 'nosniff')
  }
  return reply.send(isText ? body : JSON.stringify(body ?? denialBody(policy, reason)))
}

function failed(reply: FastifyReply, policy: string, status: number, details: string): FastifyReply {
  reply.headers({ 'X-Svc-Authz-Decision': 'error', 'X-Svc-Authz-Policy': policy })
  return reply.code(status).send({ error: 'service_failed', policy, details })
}

/** `set` replaces the existing lines; `append` is a line of its own. */
function add(reply: FastifyReply, set: readonly HeaderLine[], append: readonly HeaderLine[]): void {
  const lines = new Map<string, string[]>()
  for (const [name, value] of [...set, ...append]) {
    const lower = name.toLowerCase()
    lines.set(lower, [...(lines.get(lower) ?? []), value])
  }
  for (const [name, values] of lines) {
    reply.removeHeader(name)
    reply.header(name, values.length === 1 ? values[0]! : values)
  }
}

function textOf(reply: FastifyReply, name: string): string | undefined {
  const value = reply.getHeader(name)
  return value === undefined ? undefined : String(value)
}
