/**
 * A client for the routes that tests use: rules, captured requests and resets. It needs nothing but `fetch`; see `types.ts`
 * for the API.
 */

/** A response that is not a success; `status` and `body` have the details. */
export class TestClientError extends Error {
  constructor(status, body) {
    super(`${status}: ${typeof body === 'string' ? body : JSON.stringify(body)}`)
    this.name = 'TestClientError'
    this.status = status
    this.body = body
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
  return {
    rules: {
      put: (name, rule) => call('PUT', path(name), { body: rule }),
      add: async rules => (await call('POST', '/_svc/rules', { body: rules })).rules,
      get: name => call('GET', path(name)),
      list: async () => (await call('GET', '/_svc/rules')).rules,
      delete: async name => (await call('DELETE', path(name))).removed,
      clear: async () => (await call('DELETE', '/_svc/rules')).removed,
    },
    async requests(filter = {}) {
      const own = query.session === undefined ? {} : { session: query.session }
      return (await request({ base, headers }, 'GET', '/_svc/requests', { ...own, ...filter })).requests
    },
    async reset(kinds) {
      return (await call('POST', '/_svc/reset', { body: kinds === undefined ? undefined : { kinds } })).removed
    },
  }
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
