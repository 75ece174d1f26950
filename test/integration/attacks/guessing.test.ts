/** Guessing of codes, tokens and ids: how many bits they have, and how often they may be tried. */
import t from 'tap'
import { clientOf } from '../../../plugins/identity/device/attempts.ts'
import { authorization, call, callback, encode, locationOf, post, type Answer, type Body } from '../../support/oauth.ts'
import { post as postMcp } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['identity', 'mcp', 'bins', 'a2a'],
  env: { SVC_TRUST_FORWARD: 'true' },
})
const full = `${server.url}/oauth/i/full`

const enter = (user_code: string, address: string, fields: Record<string, string> = {}): Promise<Answer> =>
  post(`${full}/device`, { user_code, ...fields }, { 'X-Forwarded-For': address })
const start = async (): Promise<Body> =>
  (await post(`${full}/device_authorization`, { client_id: 'svc-device' }, {})).body

t.test('wrong user codes count while they are checked: attempts at once do not help [IDN-28]', async t => {
  const answers = await Promise.all(Array.from({ length: 60 }, () => enter('BBBB-BBBB', '203.0.113.7')))
  const statuses = answers.map(({ status }) => status)
  t.equal(statuses.filter(status => status !== 429).length, 5)
  t.equal((await enter('BBBB-BBBB', '203.0.113.8')).status, 400, 'another client')
  const { user_code } = await start()
  t.equal((await enter(String(user_code), '203.0.113.7')).status, 429, 'also the right one')
})

t.test('right codes do not count, addresses of one IPv6 network do [IDN-28]', async t => {
  for (let count = 0; count < 8; count++) {
    const { user_code } = await start()
    t.equal((await enter(String(user_code), '203.0.113.9')).status, 200)
  }
  const statuses: number[] = []
  for (let host = 1; host <= 7; host++) statuses.push((await enter('BBBB-BBBB', `2001:db8:1:2::${host}`)).status)
  t.strictSame(statuses.slice(5), [429, 429])
  t.not((await enter('BBBB-BBBB', '2001:db8:1:3::1')).status, 429, 'another network')
  t.equal(clientOf('2001:db8::1'), clientOf('2001:db8:0:0:ffff::'))
  t.equal(clientOf('::1'), '0:0:0:0')
  t.equal(clientOf('1:2:3:4:5:6:7:8'), '1:2:3:4')
})

t.test('user codes have 34 bits, all else has 96 or more, and nothing repeats [IDN-28]', async t => {
  const drawn: Record<string, { values: string[]; bytes: number; alphabet: number }> = {}
  const add = (name: string, alphabet: number, value: unknown, prefix = ''): void => {
    const text = String(value)
    t.ok(text.startsWith(prefix), text)
    const entry = (drawn[name] ??= { values: [], bytes: text.length - prefix.length, alphabet })
    entry.values.push(text.slice(prefix.length))
  }
  for (let count = 0; count < 20; count++) {
    const device = await start()
    add('user code', 20, String(device.user_code).replace('-', ''))
    add('device code', 64, String(device.device_code).split('.')[1])
    const request = authorization({ svc_login: 'auto', scope: 'openid' })
    const code = locationOf(await call(`${full}/authorize?${encode(request)}`)).query.get('code')!
    add('code', 64, code)
    const { body } = await post(`${full}/token`, { grant_type: 'authorization_code', code, redirect_uri: callback })
    add('refresh token', 64, body.refresh_token, 'rt_')
    const pushed = await post(`${full}/par`, authorization())
    add('request URI', 64, pushed.body.request_uri, 'urn:ietf:params:oauth:request_uri:')
    const registered = await call(`${full}/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [callback] }),
    })
    add('client secret', 64, registered.body.client_secret)
    add('bin', 16, (await call(`${server.url}/bin`, { method: 'POST', body: '{}' })).body.id)
    const initialized = await postMcp(
      `${server.url}/mcp`,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      },
      { Accept: 'application/json, text/event-stream' },
    )
    add('MCP session', 16, initialized.headers.get('mcp-session-id'))
  }
  for (const [name, { values, bytes, alphabet }] of Object.entries(drawn)) {
    t.equal(new Set(values).size, values.length, `${name}: nothing repeats`)
    const bits = bytes * Math.log2(alphabet)
    t.ok(bits >= (name === 'user code' ? 34 : 96), `${name}: ${bits} bits`)
    t.ok(new Set(values.join('')).size > alphabet * 0.6, `${name}: the whole alphabet`)
  }
})

t.test('codes and tokens that are nearly right, or of another client, are refused and stay valid [IDN-28]', async t => {
  const device = await start()
  const poll = (device_code: string): Promise<Answer> =>
    post(
      `${full}/token`,
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code, client_id: 'svc-device' },
      {},
    )
  const right = String(device.device_code)
  for (const wrong of [
    right.slice(0, -1),
    `${right}x`,
    `${right.slice(0, 8)}.`,
    right.slice(0, 8),
    right.toLowerCase(),
  ])
    t.equal((await poll(wrong)).body.error, 'invalid_grant', wrong)
  t.equal((await poll(right)).body.error, 'authorization_pending')
})
