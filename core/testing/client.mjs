/**
 * A client for the routes that tests use: rules, captured requests, verification and resets. It needs nothing but `fetch`;
 * see `types.ts` for the API. `clients/` has clients for other languages with the same operations, and `clients/contract.json`
 * what all of them use.
 */

const DEFAULT_WAIT_MS = 5000
const DEFAULT_LIMIT = 100
/** How long a response may take, in addition to what the operation waits, in milliseconds. */
const TIMEOUT_MS = 10_000
/** Requests in the message of a wait that fails. */
const SHOWN_REQUESTS = 5
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** A response that is not a success, or none: then the status is 0. */
export class TestClientError extends Error {
  constructor(status, body, options) {
    super(`${status}: ${typeof body === 'string' ? body : JSON.stringify(body)}`, options)
    this.name = 'TestClientError'
    this.status = status
    this.body = body
    this.error = body?.error ?? ''
    this.details = body?.details ?? ''
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

/** Connects to a running instance: by default the one of `SVC_URL`, with the token of `SVC_ADMIN_TOKEN`. */
export function connect(url = variable('SVC_URL'), { token = variable('SVC_ADMIN_TOKEN') } = {}) {
  if (!url) throw new TypeError('no URL: give one, or set SVC_URL')
  const base = url.endsWith('/') ? url.slice(0, -1) : url
  const headers = token === undefined ? {} : { 'X-Svc-Admin-Token': token }
  return {
    ...scopeClient({ base, headers, scope: { scope: 'instance' } }),
    url: base,
    session: name => openSession(base, headers, name),
  }
}

/** A variable of the process, if there is a process and it is not empty. */
function variable(name) {
  return globalThis.process?.env[name] || undefined
}

function openSession(base, headers, name = freshName()) {
  const url = `${base}/s/${encodeURIComponent(name)}`
  const client = scopeClient({ base: url, headers, scope: {} })
  const end = () => client.reset()
  return {
    ...client,
    name,
    url,
    headers: { 'X-Svc-Session': name },
    end: async () => void (await end()),
    [Symbol.asyncDispose]: async () => void (await end()),
  }
}

/** `t-` and 12 letters or digits. */
function freshName() {
  const drawn = crypto.getRandomValues(new Uint32Array(12))
  return `t-${Array.from(drawn, number => LETTERS[number % LETTERS.length]).join('')}`
}

/** The methods of one scope: the instance, or a session, whose `base` names it. */
function scopeClient({ base, headers, scope }) {
  const call = (method, path, { body, waitMs } = {}) =>
    request({ base, headers }, method, path, { query: scope, body, waitMs })
  const path = name => `/_svc/rules/${encodeURIComponent(name)}`
  /** The routes of captured requests take no scope: without a session they show all. */
  const captured = (route, query, waitMs) => request({ base, headers }, 'GET', route, { query, waitMs })
  const add = async rules => (await call('POST', '/_svc/rules', { body: rules })).rules
  const requests = async (filter = {}) => (await captured('/_svc/requests', filter)).requests
  return {
    rules: {
      put: (name, rule) => call('PUT', path(name), { body: rule }),
      add,
      load: async file => add(await rulesOf(file)),
      get: name => call('GET', path(name)),
      list: async () => (await call('GET', '/_svc/rules')).rules,
      delete: async name => (await call('DELETE', path(name))).removed,
      clear: async () => (await call('DELETE', '/_svc/rules')).removed,
    },
    requests,
    async waitFor(filter = {}, count = 1, timeoutMs = DEFAULT_WAIT_MS) {
      const { limit = Math.max(DEFAULT_LIMIT, count), ...rest } = filter
      const query = { ...rest, limit, wait_for: count, timeout_ms: timeoutMs }
      const page = await captured('/_svc/requests', query, timeoutMs)
      if (page.satisfied) return page.requests
      const session = rest.session === undefined ? {} : { session: rest.session }
      throw lateError(rest, count, page, await requests({ ...session, limit: SHOWN_REQUESTS }))
    },
    async verify(verification = {}) {
      const waitMs = (verification.within_ms ?? 0) + (verification.settle_ms ?? 0)
      try {
        return await call('POST', '/_svc/verify', { body: verification, waitMs })
      } catch (error) {
        if (error.body?.error !== 'verification_failed') throw error
        throw new VerificationError(error.body.message, error.body)
      }
    },
    har: (filter = {}) => captured('/_svc/requests/export', { ...filter, format: 'har' }),
    async reset(kinds) {
      return (await call('POST', '/_svc/reset', { body: kinds === undefined ? undefined : { kinds } })).removed
    },
  }
}

/** The error of a wait: what was expected, and what came instead. */
function lateError(filter, count, { requests, waited_ms }, newest) {
  const expected = `at least ${count}`
  const conditions = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
  const described = conditions.length === 0 ? '' : ` with ${conditions.join(' and ')}`
  const came = newest.map(({ method, uri, status }) => `\n${method} ${uri} ${status}`).join('')
  const message =
    `expected ${expected} ${count === 1 ? 'request' : 'requests'}${described}, got ${requests.length} in ${waited_ms} ms; ` +
    (came === '' ? 'no request came' : `the newest requests are${came}`)
  const ids = requests.map(({ id }) => id)
  return new VerificationError(message, { expected, count: requests.length, requests: ids, closest: [] })
}

/** The rules of a YAML or JSON file. */
async function rulesOf(file) {
  const [{ readFile }, { parse }] = await Promise.all([import('node:fs/promises'), import('yaml')])
  const { rules } = parse(await readFile(file, 'utf8')) ?? {}
  if (!Array.isArray(rules)) throw new TypeError(`${file} has no list of rules under "rules"`)
  return rules
}

async function request({ base, headers }, method, path, { query = {}, body, waitMs = 0 }) {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const options = {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS + waitMs),
  }
  const { response, text } = await fetchText(
    parameters.size > 0 ? `${base}${path}?${parameters}` : base + path,
    options,
  )
  const answer = parse(text)
  if (!response.ok) throw new TestClientError(response.status, answer ?? text)
  return answer
}

async function fetchText(url, options) {
  try {
    const response = await fetch(url, options)
    return { response, text: await response.text() }
  } catch (cause) {
    const details = cause.cause?.message || cause.message
    throw new TestClientError(0, { error: 'no_response', details: `no response from ${url}: ${details}` }, { cause })
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
