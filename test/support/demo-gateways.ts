/** What small gateways do with requests: features that demos show, each right or with one mistake. */
import { createPublicKey, verify, type JsonWebKey } from 'node:crypto'
import type { Answer, Handler, ProxyRequest } from './demo-proxy.ts'

export function answer(status: number, body: unknown, headers: Answer['headers'] = {}): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/plain' : 'application/json'
  return { status, headers: { 'content-type': type, ...headers }, body: Buffer.from(text) }
}

function withHeaders(request: ProxyRequest, headers: Record<string, unknown>): ProxyRequest {
  return { ...request, headers: { ...request.headers, ...headers } }
}

/** `leaves`: the mistake; the virtual key stays in another header. */
export function credentialSwap({ leaves = false } = {}): Handler {
  return async (request, forward) => {
    if (request.headers.authorization !== 'Bearer vk-demo') return answer(401, 'unknown key')
    return forward(
      withHeaders(request, {
        authorization: 'Bearer sk-real-demo',
        ...(leaves ? { 'x-forwarded-authorization': request.headers.authorization } : {}),
      }),
    )
  }
}

/** `samplesAll`: the mistake; the decision of the client is lost. */
export function tracing({ samplesAll = false } = {}): Handler {
  return async (request, forward) => {
    const [version, trace, , flags] = String(request.headers.traceparent ?? '00-0-0-00').split('-')
    return forward(
      withHeaders(request, { traceparent: `${version}-${trace}-a1b2c3d4e5f60718-${samplesAll ? '01' : flags}` }),
    )
  }
}

/** `sharesAll`: the mistake; what belongs to a client with a credential is shared. */
export function cache({ sharesAll = false } = {}): Handler {
  const stored = new Map<string, Answer>()
  return async (request, forward) => {
    const found = stored.get(request.path)
    if (found !== undefined) return { ...found, headers: { ...found.headers, age: '1' } }
    const got = await forward(request)
    const control = got.headers['cache-control'] ?? ''
    const isShared = request.headers.authorization === undefined || /public/.test(control) || sharesAll
    if (/max-age/.test(control) && isShared) stored.set(request.path, got)
    return got
  }
}

/** Checks tokens as a gateway does, with the keys of the upstream. `anyAudience`: the mistake. */
export function jwt(upstream: string, audience: string, { anyAudience = false } = {}): Handler {
  return async (request, forward) => {
    const isValid = await hasToken(request, upstream, anyAudience ? null : audience)
    return isValid ? forward(request) : answer(401, 'invalid token')
  }
}

/** Whether the request has a valid bearer token of the upstream; `audience` null: for any. */
export async function hasToken({ headers }: ProxyRequest, upstream: string, audience: string | null): Promise<boolean> {
  const token = bearerOf({ headers })
  const [head = '', payload = '', signature = ''] = token?.split('.') ?? []
  if (token === undefined || signature === '') return false
  const { alg, kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string; kid?: string }
  const { keys } = (await (await fetch(`${upstream}/oauth/jwks`)).json()) as {
    keys: (JsonWebKey & { kid: string })[]
  }
  const key = keys.find(one => one.kid === kid)
  if (alg !== 'RS256' || key === undefined) return false
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${payload}`),
    createPublicKey({ key, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  )
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number; aud: string | string[] }
  return isSigned && claims.exp * 1000 > Date.now() && (audience === null || [claims.aud].flat().includes(audience))
}

export function bearerOf({ headers }: Pick<ProxyRequest, 'headers'>): string | undefined {
  return /^Bearer (.+)$/.exec(String(headers.authorization))?.[1]
}

/** Every tenth request goes to the canary. `ignoresHeader`: the mistake; the header is ignored. */
export function canary({ ignoresHeader = false } = {}): Handler {
  let count = 0
  return async (request, forward) => {
    const isChosen = !ignoresHeader && request.headers['x-canary'] === 'always'
    const lane = isChosen || ++count % 10 === 0 ? 'canary' : 'stable'
    return forward({ ...request, path: `/s/lane-${lane}${request.path}` })
  }
}

/** `answers`: the mistake; the answer of the shadow wins. */
export function mirror({ answers = false } = {}): Handler {
  return async (request, forward) => {
    const shadow = forward({ ...request, path: `/s/lane-shadow${request.path}` })
    const live = forward({ ...request, path: `/s/lane-live${request.path}` })
    return answers ? shadow : live
  }
}

/** `asText`: the mistake; the refusal does not have the format of the client. */
export function promptGuard({ asText = false } = {}): Handler {
  return async (request, forward) => {
    if (!/ignore all previous instructions/i.test(request.body)) return forward(request)
    return asText ? answer(403, 'blocked') : answer(400, { error: { message: 'blocked', type: 'content_policy' } })
  }
}

/** `onlyFirst`: the mistake; a second value in a message stays. */
export function redaction({ onlyFirst = false } = {}): Handler {
  const flags = onlyFirst ? '' : 'g'
  const kinds = ['\\d{3}-\\d{2}-\\d{4}', '[\\w.]+@[\\w.]+\\w', '(?:\\d{4} ){3}\\d{4}'].map(
    kind => new RegExp(kind, flags),
  )
  return async (request, forward) =>
    forward({ ...request, body: kinds.reduce((body, kind) => body.replace(kind, '[redacted]'), request.body) })
}

/** `listsOnly`: the mistake; the tool is not listed, but can be called. */
export function toolFilter(hidden: string, { listsOnly = false } = {}): Handler {
  return async (request, forward) => {
    const message = request.body === '' ? {} : (JSON.parse(request.body) as Rpc)
    if (message.method === 'tools/call' && message.params?.name === hidden && !listsOnly)
      return answer(200, { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'unknown tool' } })
    const got = await forward(request)
    if (message.method !== 'tools/list') return got
    const body = got.body.toString().replace(/\{[^{}]*"jsonrpc".*\}/, text => {
      const list = JSON.parse(text) as { result: { tools: { name: string }[] } }
      list.result.tools = list.result.tools.filter(({ name }) => name !== hidden)
      return JSON.stringify(list)
    })
    return { ...got, body: Buffer.from(body) }
  }
}

interface Rpc {
  id?: number
  method?: string
  params?: { name?: string }
}

/** `ignoresBody`: the mistake; all models go to the first provider. */
export function modelRouting({ ignoresBody = false } = {}): Handler {
  return async (request, forward) => {
    const isSecond = !ignoresBody && request.body.includes('"model":"gpt-4o"')
    return forward({ ...request, path: `/s/lane-${isSecond ? 'second' : 'first'}${request.path}` })
  }
}

/** `onlyFailures`: the mistake; 429 is passed on. */
export function fallback({ onlyFailures = false } = {}): Handler {
  return async (request, forward) => {
    const first = await forward({ ...request, path: `/s/lane-primary${request.path}` })
    const isFailed = first.status >= 500 || (first.status === 429 && !onlyFailures)
    return isFailed ? forward({ ...request, path: `/s/lane-secondary${request.path}` }) : first
  }
}

/** `together`: the mistake; all keys share one limit. */
export function tokenLimit(limit: number, { together = false } = {}): Handler {
  const used = new Map<string, number>()
  return async (request, forward) => {
    const key = together ? '' : String(request.headers.authorization)
    const before = used.get(key) ?? 0
    if (before >= limit) return answer(429, { error: { message: 'over the limit', type: 'tokens' } })
    const got = await forward(request)
    const tokens = /"total_tokens":(\d+)/.exec(got.body.toString())?.[1] ?? '0'
    used.set(key, before + Number(tokens))
    return got
  }
}

/** The circuit is open in the window in which it opened. `staysOpen`: the mistake. */
export function circuitBreaker(failures: number, window: () => number, { staysOpen = false } = {}): Handler {
  let failed = 0
  let opened: number | null = null
  return async (request, forward) => {
    if (opened !== null && (staysOpen || opened === window())) return answer(503, 'the circuit is open')
    const got = await forward(request)
    failed = got.status >= 500 ? failed + 1 : 0
    opened = failed >= failures ? window() : null
    return got
  }
}
