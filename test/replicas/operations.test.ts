/** How many operations of the store a request needs. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'

/** Sent in the background, whatever requests do. */
const BACKGROUND = /operation="(?:beat|sweep|renew|scrape)"|store="_core\/(?:captures|capture-ends|registers)"/

t.test('requests wait for no more operations than they need [STATE-43]', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const { url, stop } = await launch({
    plugins: ['echo', 'reliability', 'bins', 'identity', 'auth', 'mcp', 'a2a'],
    env: { SVC_STATE_STORE: store.url, SVC_STATE_STORE_TIMEOUT_MS: '10000' },
  })
  t.teardown(stop)
  const count = async (): Promise<number> => {
    const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
    return metrics
      .split('\n')
      .filter(line => line.startsWith('svc_state_store_operations_total{') && !BACKGROUND.test(line))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  const costOf = async (send: () => Promise<Response>): Promise<number> => {
    await (await send()).text()
    const before = await count()
    await (await send()).text()
    return (await count()) - before
  }
  const basic = { Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` }
  const grant = () =>
    fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: basic,
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
  const { access_token: token } = (await (await grant()).json()) as { access_token: string }
  const rpc = (method: string, params: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const session = (await rpc('initialize', initialize)).headers.get('mcp-session-id')!
  const { id } = (await (await fetch(`${url}/bin`, { method: 'POST' })).json()) as { id: string }
  t.equal(await costOf(() => fetch(`${url}/echo`)), 0, '/echo')
  t.equal(await costOf(() => fetch(`${url}/oauth/jwks`)), 0, 'JWKS')
  t.equal(await costOf(grant), 0, 'client credentials')
  t.ok(
    (await costOf(() => fetch(`${url}/auth/jwt`, { headers: { Authorization: `Bearer ${token}` } }))) <= 1,
    'a token',
  )
  t.equal(await costOf(() => fetch(`${url}/flaky/recover/1`)), 1, '/flaky')
  t.equal(await costOf(() => rpc('initialize', initialize)), 1, 'MCP initialize')
  t.equal(await costOf(() => rpc('tools/list', {}, { 'Mcp-Session-Id': session })), 1, 'a call in a session')
  const captures = [await costOf(() => fetch(`${url}/bin/${id}/x`)), await costOf(() => fetch(`${url}/bin/${id}/x`))]
  t.equal(Math.min(...captures), 2, 'a capture, sent at once; once a second it reads the bytes of all bins')
  const a2a = (method: string, params: object) =>
    fetch(`${url}/a2a/echo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
  const slow = { message: { ...message, metadata: { stepDelayMs: 100 } } }
  const answer = (await (await a2a('SendMessage', { message })).json()) as { result: { task: { id: string } } }
  t.equal(await costOf(() => a2a('SendMessage', { message })), 3, 'A2A: turn and limit at once, then one write')
  t.equal(await costOf(() => a2a('SendMessage', { message, configuration: { returnImmediately: true } })), 3)
  t.equal(await costOf(() => a2a('SendStreamingMessage', { message })), 3)
  t.equal(await costOf(() => a2a('GetTask', { id: answer.result.task.id })), 1)
  t.equal(await costOf(() => a2a('ListTasks', {})), 1, 'a page')
  t.ok(
    (await costOf(() => a2a('SendMessage', slow))) <= 12,
    'an agent that takes time: with its slot, and a write for each step',
  )

  const running = async (): Promise<string> => {
    const configuration = { returnImmediately: true }
    const metadata = { stepDelayMs: 5000 }
    const sent = await a2a('SendMessage', { message: { ...message, metadata }, configuration })
    return ((await sent.json()) as typeof answer).result.task.id
  }
  const ids = [await running(), await running()]
  // The slot is released later, perhaps that of the first one, too.
  t.ok((await costOf(() => a2a('CancelTask', { id: ids.pop() }))) <= 4, 'cancel: read and written')

  store.command('SCRIPT', 'FLUSH')
  t.equal((await fetch(`${url}/flaky/recover/1`)).status, 200, 'scripts that the server has forgotten are sent again')
  t.equal((await fetch(`${url}/bin/${id}/x`)).status, 200)
})

t.test(
  'the metrics of stores are those of all replicas, and absent while the store is unavailable [METRIC-4]',
  async t => {
    const store = await startStateServer(t)
    const env = { SVC_STATE_STORE: store.url, SVC_STATE_STORE_TIMEOUT_MS: '10000' }
    const servers = await Promise.all([1, 2].map(() => launch({ plugins: ['bins'], env })))
    for (const { stop } of servers) t.teardown(stop)
    const [one, other] = servers.map(({ url }) => url)
    await (await fetch(`${one}/bin`, { method: 'POST' })).text()
    const use = async (): Promise<(number | undefined)[]> => {
      const text = await (await fetch(`${other}/_svc/metrics`)).text()
      return ['entries', 'bytes'].map(unit => {
        const value = new RegExp(`^svc_state_${unit}\\{store="bins/bins"\\} (\\d+)$`, 'm').exec(text)?.[1]
        return value === undefined ? undefined : Number(value)
      })
    }
    const [entries, bytes] = await use()
    t.equal(entries, 1)
    t.ok(bytes! > 0, `${bytes} bytes`)
    await store.kill()
    t.strictSame(await use(), [undefined, undefined])
  },
)
