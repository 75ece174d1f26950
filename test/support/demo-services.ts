/** What small gateways do that call svc as a service, or report to it: each right or with one mistake. */
import { answer } from './demo-gateways.ts'
import type { Answer, Handler } from './demo-proxy.ts'

const textOf = (value: unknown): string => (value === undefined ? '' : String(value))

/** Asks the authorization service. `failsOpen`: the mistake. */
export function authorized(upstream: string, { failsOpen = false } = {}): Handler {
  return async (request, forward) => {
    const { method, path, headers } = request
    const decision = await fetch(`${upstream}/ext-authz/allow`, {
      headers: {
        'x-forwarded-method': method,
        'x-forwarded-uri': path,
        'x-svc-session': textOf(headers['x-svc-session']),
      },
    })
    const body = await decision.text()
    if (decision.status >= 400 && !(failsOpen && decision.status >= 500)) return answer(decision.status, body)
    const { 'x-svc-user': _client, ...own } = headers
    const user = decision.headers.get('x-svc-user')
    return forward({ ...request, headers: { ...own, ...(user === null ? {} : { 'x-svc-user': user }) } })
  }
}

/** Asks the rate-limit service. `isSilent`: the mistake; the client does not see the headers of the service. */
export function limited(upstream: string, limit: number, { isSilent = false } = {}): Handler {
  return async (request, forward) => {
    const entries = [
      { key: 'path', value: request.path },
      { key: 'svc_limit', value: `${limit}/86400s` },
    ]
    const asked = await fetch(`${upstream}/rate-limit/json`, {
      method: 'POST',
      body: JSON.stringify({ domain: 'demo', descriptors: [{ entries }] }),
    })
    const { responseHeadersToAdd = [] } = (await asked.json()) as {
      responseHeadersToAdd?: { key: string; value: string }[]
    }
    const added = isSilent
      ? {}
      : Object.fromEntries(responseHeadersToAdd.map(({ key, value }) => [key.toLowerCase(), value]))
    if (asked.status === 429) return answer(429, 'too many', added)
    const got = await forward(request)
    return { ...got, headers: { ...got.headers, ...added } }
  }
}

/** Reports each request to `/logs`. `status`: the mistake; all reports have it. */
export function logging(upstream: string, { status }: { status?: number } = {}): Handler {
  return async (request, forward) => {
    const got: Answer = await forward(request)
    const log = {
      method: request.method,
      path: request.path,
      status: status ?? got.status,
      request_id: request.headers['x-request-id'],
    }
    await fetch(`${upstream}/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(log),
    })
    return got
  }
}
