/**
 * A client for the routes that tests use: rules, captured requests, verification and resets. It needs nothing but `fetch`;
 * see `types.ts` for the API.
 */

const DEFAULT_WAIT_MS = 5000
const DEFAULT_LIMIT = 100

/** A response that is not a success; `status` and `body` have the details. */
export class TestClientError extends Error {
  constructor(status, body) {
    super(`${status}: ${typeof body === 'string' ? body : JSON.stringify(body)}`)
    this.name = 'TestClientError'
    this.status = status
    this.body = body
  }
}

/** The requests that came are not the expected ones. */
export class VerificationError extends Error {
  constructor(message, { expected, count, requests, closest }) {
    super(message)
    this.name = 'VerificationError'
    this.expected = expected
    this.count = count
    this.requests = requests
    this.closest = closest
  }
}

/** Connects to a running instance. */
export function connect(url, { token } = {}) {
  const base = url.endsWith('/') ? url.slice(0, -1) : url
  const headers = token === undefined ? {} : { 'X-Svc-Admin-Token': token }
  return {
    ...scopeClient({ base, headers, query: { scope: 'instance' } }),
    url: base,
    session: name => openSession(base, headers, name),
  }
}

function openSession(base, headers, name = `t-${crypto.randomUUID()}`) {
  const client = scopeClient({ base, headers, query: { session: name } })
  const end = () => client.reset()
  return {
    ...client,
    name,
    url: `${base}/s/${encodeURIComponent(name)}`,
    headers: { 'X-Svc-Session': name },
    end: async () => void (await end()),
    [Symbol.asyncDispose]: async () => void (await end()),
  }
}

/** The methods of one scope: the instance or a session. */
function scopeClient({ base, headers, query }) {
  const call = (method, path, { body, parameters = {} } = {}) =>
    request({ base, headers }, method, path, { ...query, ...parameters }, body)
  const path = name => `/_svc/rules/${encodeURIComponent(name)}`
  const own = query.session === undefined ? {} : { session: query.session }
  /** The routes of captured requests take no scope: without a session they show all. */
  const captured = (part, filter) => request({ base, headers }, 'GET', `/_svc/requests${part}`, { ...own, ...filter })
  return {
    rules: {
      put: (name, rule) => call('PUT', path(name), { body: rule }),
      add: async rules => (await call('POST', '/_svc/rules', { body: rules })).rules,
      get: name => call('GET', path(name)),
      list: async () => (await call('GET', '/_svc/rules')).rules,
      delete: async name => (await call('DELETE', path(name))).removed,
      clear: async () => (await call('DELETE', '/_svc/rules')).removed,
    },
    requests: async (filter = {}) => (await captured('', filter)).requests,
    async waitFor(filter = {}, count = 1, timeoutMs = DEFAULT_WAIT_MS) {
      const { limit = Math.max(DEFAULT_LIMIT, count), ...rest } = filter
      const wait = { wait_for: count, timeout_ms: timeoutMs }
      const { satisfied, waited_ms, requests } = await captured('', { ...rest, limit, ...wait })
      if (satisfied) return requests
      const expected = `at least ${count}`
      const message = `expected ${expected} ${count === 1 ? 'request' : 'requests'}${described(rest)}, got ${requests.length} in ${waited_ms} ms`
      const details = { expected, count: requests.length, requests: requests.map(({ id }) => id), closest: [] }
      throw new VerificationError(message, details)
    },
    async verify(verification = {}) {
      try {
        return await call('POST', '/_svc/verify', { body: verification })
      } catch (error) {
        if (error.body?.error !== 'verification_failed') throw error
        throw new VerificationError(error.body.message, error.body)
      }
    },
    har: (filter = {}) => captured('/export', { ...filter, format: 'har' }),
    async reset(kinds) {
      return (await call('POST', '/_svc/reset', { body: kinds === undefined ? undefined : { kinds } })).removed
    },
  }
}

/** A filter as text: ` with path /orders and method POST`. */
function described(filter) {
  const parts = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
  return parts.length === 0 ? '' : ` with ${parts.join(' and ')}`
}

async function request({ base, headers }, method, path, parameters, body) {
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
  const response = await fetch(`${base}${path}?${query}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = parse(text)
  if (!response.ok) throw new TestClientError(response.status, answer ?? text)
  return answer
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
