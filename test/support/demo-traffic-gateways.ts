/** What small gateways do with ordinary traffic: features that demos show, each right or with one mistake. */
import { answer, bearerOf } from './demo-gateways.ts'
import type { Answer, Handler, ProxyRequest } from './demo-proxy.ts'

function at(lane: string, request: ProxyRequest): ProxyRequest {
  return { ...request, path: `/s/lane-${lane}${request.path}` }
}

/** The first upstream is left alone in the window in which it failed. `stays`: the mistake; it is never used again. */
export function failover(window: () => number, { stays = false } = {}): Handler {
  let failedIn: number | null = null
  return async (request, forward) => {
    const isDown = failedIn !== null && (stays || failedIn === window())
    if (!isDown) {
      const got = await forward(at('first', request))
      if (got.status < 500) return got
      failedIn = window()
    }
    return forward(at('second', request))
  }
}

/** An instance with five errors is left out in the window of its last one. `stays`: the mistake; it never returns. */
export function outlierEjection(window: () => number, { stays = false } = {}): Handler {
  const errors = { one: 0, two: 0 }
  const outIn = { one: -1, two: -1 }
  let turn = 0
  return async (request, forward) => {
    const isOut = (lane: 'one' | 'two'): boolean => (stays ? outIn[lane] >= 0 : outIn[lane] === window())
    const lanes = (turn++ % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const)).filter(one => !isOut(one))
    let got: Answer = answer(503, 'no upstream is well')
    for (const lane of lanes) {
      got = await forward(at(lane, request))
      errors[lane] = got.status >= 500 ? errors[lane] + 1 : 0
      if (errors[lane] >= 5) outIn[lane] = window()
      if (got.status < 500) break
    }
    return got
  }
}

/** `leaves`: the mistake; some requests stay at the old version. */
export function blueGreen(window: () => number, { leaves = false } = {}): Handler {
  let count = 0
  return async (request, forward) => {
    const isLeft = leaves && ++count % 5 === 0
    return forward(at(window() > 0 && !isLeft ? 'green' : 'blue', request))
  }
}

/** Exchanges tokens. `leaves`: the mistake; the client's token is in another header. */
export function tokenExchange(upstream: string, { leaves = false } = {}): Handler {
  const type = 'urn:ietf:params:oauth:token-type:access_token'
  const order = async (parameters: Record<string, string>): Promise<string | undefined> => {
    const response = await fetch(`${upstream}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` },
      body: new URLSearchParams(parameters),
    })
    return ((await response.json()) as { access_token?: string }).access_token
  }
  return async (request, forward) => {
    const token = await order({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: bearerOf(request) ?? '',
      subject_token_type: type,
      actor_token: (await order({ grant_type: 'client_credentials' })) ?? '',
      actor_token_type: type,
      audience: 'orders-api',
    })
    if (token === undefined) return answer(401, 'invalid token')
    const further = leaves ? { 'x-original-authorization': request.headers.authorization } : {}
    return forward({ ...request, headers: { ...request.headers, ...further, authorization: `Bearer ${token}` } })
  }
}

/** `query`: the mistake; the key may be in the query, too. */
export function apiKey({ query = false } = {}): Handler {
  return async (request, forward) => {
    const isKnown = request.headers['x-api-key'] === 'demo-key' || (query && request.path.includes('=demo-key'))
    return isKnown ? forward(request) : answer(401, 'no key')
  }
}

/** `echoes`: the mistake; every origin is allowed. */
export function cors(origin: string, { echoes = false } = {}): Handler {
  return async (request, forward) => {
    const asked = String(request.headers.origin ?? '')
    const allowed: Answer['headers'] = asked === origin || echoes ? { 'access-control-allow-origin': asked } : {}
    if (request.method === 'OPTIONS') return answer(204, '', { ...allowed, 'access-control-allow-methods': 'GET, PUT' })
    const got = await forward(request)
    const { 'access-control-allow-origin': _own, ...headers } = got.headers
    return { ...got, headers: { ...headers, ...allowed } }
  }
}

/** `everywhere`: the mistake; the text is replaced further behind, too. */
export function pathRewrite({ everywhere = false } = {}): Handler {
  return (request, forward) =>
    forward({
      ...request,
      path: everywhere ? request.path.replaceAll('/shop', '/anything') : request.path.replace(/^\/shop/, '/anything'),
    })
}

/** `cuts`: the mistake; what is over the limit is cut off. */
export function sizeLimit(bytes: number, { cuts = false } = {}): Handler {
  return async (request, forward) => {
    if (request.body.length <= bytes) return forward(request)
    return cuts ? forward({ ...request, body: request.body.slice(0, bytes) }) : answer(413, 'too large')
  }
}

/** `leaks`: the mistake; what has ended still counts. */
export function concurrencyLimit(limit: number, { leaks = false } = {}): Handler {
  let open = 0
  return async (request, forward) => {
    if (request.path.includes('route-check')) return forward(request)
    if (open >= limit) return answer(503, 'too many at once')
    open++
    try {
      return await forward(request)
    } finally {
      if (!leaks) open--
    }
  }
}

/** Retries up to a share of the requests. `unlimited`: the mistake; each is retried twice. */
export function retryBudget({ unlimited = false } = {}): Handler {
  let requests = 0
  let retries = 0
  return async (request, forward) => {
    requests++
    let got = await forward(request)
    for (let left = 2; left > 0 && got.status === 503; left--) {
      if (!unlimited && retries >= 3 + requests * 0.2) break
      retries++
      got = await forward(request)
    }
    return got
  }
}

const ATTACK = /' or '|<script|\.\.\//i

/** `queryOnly`: the mistake; bodies are not looked at. */
export function injectionBlock({ queryOnly = false } = {}): Handler {
  return async (request, forward) => {
    const isAttack = ATTACK.test(decodeURIComponent(request.path)) || (!queryOnly && ATTACK.test(request.body))
    return isAttack ? answer(403, 'blocked') : forward(request)
  }
}

/** Says how long the gateway took, so that a test needs no clock: `slow` for each one of `every`. */
export function timed(ms: number, { slowMs = ms, every = 1 } = {}): Handler {
  let count = 0
  return async (request, forward) => {
    const got = await forward(request)
    const held = ++count % every === 0 ? slowMs : ms
    return { ...got, headers: { ...got.headers, 'x-held-ms': String(held) } }
  }
}
