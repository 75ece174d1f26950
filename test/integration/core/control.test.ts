/** The control plane routes, on a plain Fastify instance with a fake host. */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { MIN_NODE_VERSION } from '../../../core/control/build-facts.ts'
import { registerControl } from '../../../core/control/control.ts'
import { registerInstance } from '../../../core/control/instance.ts'
import { maskOptions } from '../../../core/control/plugin-view.ts'
import { registerCoreRoutes } from '../../../core/control/routes.ts'
import { HttpError } from '../../../core/contract/plugin.ts'
import { appOn, fakeHost, pluginRecord, type FakeHost } from '../../support/control-deps.ts'

const instanceApp = async (t: Test, host: FakeHost) => {
  const app = await appOn(host, registerInstance)
  t.teardown(() => app.close())
  return app
}
const controlApp = async (t: Test, host: FakeHost) => {
  const app = await appOn(host, registerControl)
  t.teardown(() => app.close())
  return app
}
const refusal = () =>
  new HttpError(401, { error: 'admin token required' }, { 'www-authenticate': 'Bearer realm="svc"' })

const healthy = { status: 'healthy', healthy: true, service: 'svc', version: '1.4.0', instance_id: 'edge-1' }
const unhealthy = { ...healthy, status: 'unhealthy', healthy: false }

t.test('health responds with 200 or 503 and the negotiated record [CTL-30]', async t => {
  const host = fakeHost()
  const app = await instanceApp(t, host)
  const up = await app.inject('/health')
  t.equal(up.statusCode, 200)
  t.same(up.json(), healthy)
  host.healthy = false
  const down = await app.inject('/health')
  t.equal(down.statusCode, 503)
  t.same(down.json(), unhealthy)
  t.equal(down.headers['cache-control'], 'no-store')
  t.equal((await app.inject({ url: '/health', headers: { accept: 'application/xml' } })).body, '<response/>')
})

t.test('health can be changed, and the response has the new state [CTL-31]', async t => {
  const host = fakeHost()
  const app = await instanceApp(t, host)
  const steps = [
    ['unhealthy', false],
    ['unhealthy', false],
    ['toggle', true],
    ['toggle', false],
    ['healthy', true],
    ['healthy', true],
  ] as const
  for (const [name, state] of steps) {
    const reply = await app.inject({ method: 'POST', url: `/health/${name}` })
    t.equal(reply.statusCode, 200)
    t.same(reply.json(), state ? healthy : unhealthy)
    t.equal(host.healthy, state, name)
  }
})

t.test('a rejected request does not change health [CTL-32]', async t => {
  const host = fakeHost({ refusal: refusal() })
  const app = await instanceApp(t, host)
  for (const name of ['unhealthy', 'toggle', 'healthy']) {
    const reply = await app.inject({ method: 'POST', url: `/health/${name}` })
    t.equal(reply.statusCode, 401)
    t.equal(reply.headers['www-authenticate'], 'Bearer realm="svc"')
    t.equal(host.healthy, true)
  }
})

t.test('identity describes the instance and the connection [CTL-33]', async t => {
  const app = await instanceApp(t, fakeHost())
  const { timestamp, ...record } = (await app.inject({ url: '/identity', headers: { host: 'Box:8080' } })).json()
  t.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.same(record, {
    instance_id: 'edge-1',
    hostname: 'box',
    version: '1.4.0',
    uptime_seconds: 12,
    request_count: 1,
    port: { http: 8080, https: 8443, grpc: null, listener: { scheme: 'http', port: 8080 } },
    config: {
      host: '0.0.0.0',
      public_mode: false,
      trust_forward: false,
      body_limit: 1_048_576,
      request_timeout_secs: 120,
      max_delay_ms: 30_000,
      inspector_capacity: 500,
      cors_allow_origins: ['*'],
      admin_token_configured: false,
    },
    environment: {
      node_version: process.versions.node,
      min_node_version: MIN_NODE_VERSION,
      profile: 'debug',
      os: process.platform,
      arch: process.arch,
    },
    request: {
      method: 'GET',
      peer_ip: '127.0.0.1',
      remote_ip: '203.0.113.9',
      host: 'Box:8080',
      scheme: 'http',
      base_url: 'http://svc.test:8080',
    },
  })
})

t.test('identity accepts all methods and counts its requests [CTL-33]', async t => {
  const app = await instanceApp(t, fakeHost())
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
  for (const [index, method] of methods.entries()) {
    const { request, request_count: count } = (await app.inject({ method, url: '/identity' })).json()
    t.equal(count, index + 1)
    t.equal(request.method, method)
  }
})

t.test('responses show whether an admin token is configured, never its value [CTL-34]', async t => {
  const host = fakeHost({ config: { adminToken: 'hush-hush' } })
  const app = await appOn(host, registerCoreRoutes)
  t.teardown(() => app.close())
  t.equal((await app.inject('/identity')).json().config.admin_token_configured, true)
  t.equal((await app.inject('/_svc/status')).json().admin_token_configured, true)
  for (const url of [
    '/',
    '/identity',
    '/health',
    '/_svc/status',
    '/_svc/version',
    '/_svc/config',
    '/_svc/catalog',
    '/_svc/plugins',
    '/openapi.json',
  ]) {
    t.notMatch((await app.inject(url)).body, 'hush-hush', url)
  }
})

t.test('version has build facts and modes [CTL-35]', async t => {
  const app = await controlApp(t, fakeHost({ config: { controlAuth: 'jwt', hostedMode: true } }))
  t.same((await app.inject('/_svc/version')).json(), {
    name: 'svc',
    version: '1.4.0',
    git_sha: null,
    node_version: process.versions.node,
    min_node_version: MIN_NODE_VERSION,
    profile: 'debug',
    control_auth: 'jwt',
    hosted_mode: true,
    grpc_on_http: false,
  })
})

t.test('the minimum Node version is the one in package.json [CTL-35]', async t => {
  const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  const [major, minor, patch = '0'] = engines.node.replace('>=', '').split('.')
  t.equal(MIN_NODE_VERSION, `${major}.${minor}.${patch}`)
})

t.test('ready always responds with 200 and is not cached [CTL-36]', async t => {
  const app = await controlApp(t, fakeHost({ healthy: false }))
  const reply = await app.inject('/_svc/ready')
  t.equal(reply.statusCode, 200)
  t.same(reply.json(), { status: 'ready' })
  t.equal(reply.headers['cache-control'], 'no-store')
})

t.test('config returns the effective configuration [CTL-37]', async t => {
  const host = fakeHost()
  const app = await controlApp(t, host)
  t.same((await app.inject('/_svc/config')).json(), host.deps.effectiveConfig())
})

t.test('status summarizes the instance, the inspector and the plugins [CTL-38]', async t => {
  const host = fakeHost({
    pluginStatus: { console: { title: 'Booth', backlink: 'https://back.example' } },
    records: [
      pluginRecord({ name: 'a' }),
      pluginRecord({ name: 'b', state: 'failed' }),
      pluginRecord({ name: 'c', state: 'disabled' }),
      pluginRecord({ name: 'd' }),
    ],
  })
  const app = await controlApp(t, host)
  host.deps.instance.countIdentityRequest()
  t.same((await app.inject('/_svc/status')).json(), {
    name: 'svc',
    version: '1.4.0',
    git_sha: null,
    instance_id: 'edge-1',
    hostname: 'box',
    uptime_seconds: 12,
    started_at: '2026-03-14T12:00:00.000Z',
    healthy: true,
    public_mode: false,
    load_mode: false,
    requests_open: 1,
    event_loop: { utilization: 0.25, busiest: 0.5, delay_p99_ms: null, delay_max_ms: null },
    admin_token_configured: false,
    control_auth: 'open',
    hosted_mode: false,
    console: { title: 'Booth', backlink: 'https://back.example' },
    identity_requests: 1,
    replica: '0123456789ab',
    replicas: 0,
    state_store: null,
    inspector: { stored: 3, capacity: 500, total_captured: 7 },
    ports: { http: 8080, https: 8443, grpc: null },
    listeners: [],
    plugins: {
      enabled: 2,
      disabled: 1,
      failed: 1,
      generation: 2,
      generations_open: 1,
      generations_in_memory: 1,
      building: null,
    },
    proxy_headers: [],
  })
  const headers = {
    Via: '1.1 gw',
    'X-Forwarded-For': '10.0.0.1',
    'X-Kong-Request-Id': 'k',
    'X-Request-Id': 'r',
    traceparent: 'x',
    'X-Svc-Session': 's',
  }
  t.same((await app.inject({ url: '/_svc/status', headers })).json().proxy_headers, [
    'via',
    'x-forwarded-for',
    'x-kong-request-id',
  ])
})

t.test('the catalog lists all routes of the core [CTL-39]', async t => {
  const host = fakeHost()
  const app = await appOn(host, registerCoreRoutes)
  t.teardown(() => app.close())
  const catalog = (await app.inject('/_svc/catalog')).json()
  t.equal(catalog.count, catalog.endpoints.length)
  const listed = new Set(catalog.endpoints.map(({ path }: { path: string }) => path))
  for (const { path } of host.routes) t.ok(listed.has(path), path)
  for (const { path, examples } of catalog.endpoints) t.ok(examples.length > 0, `${path} has an example`)
})

t.test('every example of the core works, and sending all of them changes no plugin state [CTL-40]', async t => {
  const enabled = { outcome: 'unchanged', record: pluginRecord({ name: 'demo-data' }) } as const
  const host = fakeHost({ switchResult: enabled })
  const app = await appOn(host, registerCoreRoutes)
  t.teardown(() => app.close())
  for (const { examples } of host.deps.instance.catalog().endpoints) {
    for (const { method, path, expect_status: status, name, headers, body } of examples) {
      const reply = await app.inject({
        method: method as 'GET',
        url: path,
        ...(body == null
          ? {}
          : { payload: body, headers: Object.fromEntries(headers.map(header => [header.name, header.value])) }),
      })
      if (status === null) t.notOk([404, 405, 500].includes(reply.statusCode), `${name}: ${reply.statusCode}`)
      else t.equal(reply.statusCode, status, name)
    }
  }
  t.equal(host.healthy, true, 'the last of the health switches leaves it healthy')
  t.same(
    host.calls.filter(call => call.startsWith('switch')),
    ['switch demo-data on', 'switch demo-data off'],
    'one that others build on: on it is, off it is refused',
  )
})

t.test('plugin routes have examples only if other plugins build on an enabled plugin [CTL-40]', async t => {
  const host = fakeHost({
    records: [pluginRecord({ name: 'alone' }), pluginRecord({ name: 'off', state: 'disabled', builds_on: ['alone'] })],
  })
  await controlApp(t, host)
  const withName = host.deps.instance.catalog().endpoints.filter(({ path }) => path.includes('{name}'))
  t.equal(withName.length, 4)
  for (const { examples } of withName) t.same(examples, [])
})

t.test('plugins are listed by name with counts and errors [CTL-41]', async t => {
  const app = await controlApp(
    t,
    fakeHost({
      records: [
        pluginRecord({ name: 'soap', state: 'disabled', disabled_by: 'api' }),
        pluginRecord({ name: 'echo', source: 'directory', path: '/srv/my-plugins/echo' }),
      ],
      overview: {
        generation: 2,
        generationCounts: { open: 1, inMemory: 1 },
        building: null,
        loadedAt: new Date('2026-11-21T07:31:00.000Z'),
        configFile: '/etc/svc.yaml',
        directories: ['/srv/my-plugins'],
        loadErrors: [{ file: '/etc/svc.yaml', at: 'mcp', message: 'no', line: 12 }],
      },
    }),
  )
  const { plugins, ...rest } = (await app.inject('/_svc/plugins')).json()
  t.same(rest, {
    generation: 2,
    loaded_at: '2026-11-21T07:31:00.000Z',
    building: null,
    config_file: '/etc/svc.yaml',
    directories: ['/srv/my-plugins'],
    counts: { enabled: 1, disabled: 1, failed: 0 },
    load_errors: [{ file: '/etc/svc.yaml', at: 'mcp', message: 'no', line: 12 }],
  })
  t.same(plugins, [
    pluginRecord({ name: 'echo', source: 'directory', path: '/srv/my-plugins/echo' }),
    pluginRecord({ name: 'soap', state: 'disabled', disabled_by: 'api' }),
  ])
})

t.test('public mode hides the folders of plugins and files [CTL-42]', async t => {
  const host = fakeHost({
    config: { publicMode: true },
    records: [pluginRecord({ name: 'echo', source: 'directory', path: '/srv/my-plugins/echo' })],
    overview: {
      generation: 1,
      generationCounts: { open: 1, inMemory: 1 },
      building: null,
      loadedAt: new Date(0),
      configFile: '/srv/hidden/svc.yaml',
      directories: ['/srv/my-plugins'],
      loadErrors: [
        { file: '/srv/hidden/a.yaml', at: null, message: 'no', line: null },
        { file: null, at: 'x', message: 'no', line: null },
      ],
    },
    reloadResult: {
      applied: false,
      changed: true,
      generation: 1,
      plugins: { added: [], reloaded: [], removed: [], failed: [] },
      load_errors: [{ file: '/srv/hidden/a.yaml', at: null, message: 'no', line: 1 }],
      took_ms: 1,
    },
  })
  const app = await controlApp(t, host)
  const list = (await app.inject('/_svc/plugins')).json()
  t.same(
    list.load_errors.map(({ file }: { file: string | null }) => file),
    ['a.yaml', null],
  )
  t.equal(list.config_file, 'svc.yaml')
  t.same(list.directories, [])
  t.equal(list.plugins[0].path, null)
  t.equal((await app.inject('/_svc/plugins/echo')).json().path, null)
  t.equal((await app.inject({ method: 'POST', url: '/_svc/reload' })).json().load_errors[0].file, 'a.yaml')
})

t.test('a plugin is shown with its routes; an unknown one is a 404 with the known names [CTL-43]', async t => {
  const host = fakeHost()
  const app = await controlApp(t, host)
  host.routes.push({ plugin: 'soap', methods: ['POST'], path: '/soap', descriptions: [] })
  t.same((await app.inject('/_svc/plugins/soap')).json(), {
    ...host.records[0],
    routes_list: [{ methods: ['POST'], path: '/soap' }],
  })
  for (const [segment, name] of [
    ['nope', 'nope'],
    ['__proto__', '__proto__'],
    ['a%20b', 'a b'],
    ['SOAP', 'SOAP'],
  ] as const) {
    const reply = await app.inject(`/_svc/plugins/${segment}`)
    t.equal(reply.statusCode, 404)
    t.same(reply.json(), { error: 'unknown plugin', name, plugins: ['demo-data', 'soap'] })
  }
})

t.test('secrets in options are masked and long texts truncated [CTL-44]', async t => {
  const table: [options: unknown, shown: unknown][] = [
    [
      { api_key: 'abc', Token: 'abc', clientSecret: 'abc', PASSWORD: 'abc', credentials: ['abc'] },
      { api_key: '***', Token: '***', clientSecret: '***', PASSWORD: '***', credentials: '***' },
    ],
    [
      { max_tokens: 5, require_key: true, key: { a: 'b' }, empty_key: null },
      { max_tokens: 5, require_key: true, key: '***', empty_key: '***' },
    ],
    [{ servers: [{ name: 'a', api_key: 'abc' }] }, { servers: [{ name: 'a', api_key: '***' }] }],
    [
      { text: 'x'.repeat(201), list: ['y'.repeat(300)] },
      { text: 'x'.repeat(200), list: ['y'.repeat(200)] },
    ],
    [
      { none: null, on: false, n: 1.5, list: [1, null] },
      { none: null, on: false, n: 1.5, list: [1, null] },
    ],
    [JSON.parse('{"__proto__":{"a":"b"}}'), JSON.parse('{"__proto__":{"a":"b"}}')],
    [null, null],
  ]
  for (const [options, shown] of table) t.equal(JSON.stringify(maskOptions(options)), JSON.stringify(shown))
  const app = await controlApp(
    t,
    fakeHost({
      records: [pluginRecord({ name: 'a', options: { api_key: 'hush-hush' } })],
      switchResult: { outcome: 'switched', record: pluginRecord({ name: 'a', options: { api_key: 'hush-hush' } }) },
    }),
  )
  t.same((await app.inject('/_svc/plugins')).json().plugins[0].options, { api_key: '***' })
  t.same((await app.inject('/_svc/plugins/a')).json().options, { api_key: '***' })
  t.same((await app.inject({ method: 'POST', url: '/_svc/plugins/a/enable' })).json().options, { api_key: '***' })
})

t.test('deeply nested options are truncated [CTL-44]', async t => {
  let deep: unknown = 'bottom'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  t.ok(JSON.stringify(maskOptions(deep)).length < 200)
})

t.test('each result of switching has its status and body [CTL-45]', async t => {
  const record = pluginRecord({ name: 'soap' })
  const failed = pluginRecord({ name: 'soap', state: 'failed', error: { phase: 'register', message: 'no' } })
  const table: [result: FakeHost['switchResult'], status: number, body: object][] = [
    [{ outcome: 'switched', record }, 200, record],
    [{ outcome: 'unchanged', record }, 200, record],
    [{ outcome: 'unknown' }, 404, { error: 'unknown plugin', name: 'soap', plugins: ['demo-data', 'soap'] }],
    [{ outcome: 'in-use', usedBy: ['a', 'b'] }, 409, { error: 'plugin in use', name: 'soap', used_by: ['a', 'b'] }],
    [{ outcome: 'needs', needs: ['c'] }, 409, { error: 'needs', name: 'soap', needs: ['c'] }],
    [{ outcome: 'failed', record: failed }, 422, failed],
  ]
  const host = fakeHost()
  const app = await controlApp(t, host)
  for (const [result, status, body] of table) {
    host.switchResult = result
    for (const verb of ['enable', 'disable']) {
      const reply = await app.inject({ method: 'POST', url: `/_svc/plugins/soap/${verb}` })
      t.equal(reply.statusCode, status, `${verb}: ${result.outcome}`)
      t.same(reply.json(), body)
    }
  }
})

t.test('removing an override returns the record; an unknown name is a 404 [CTL-45]', async t => {
  const host = fakeHost()
  const app = await controlApp(t, host)
  const clear = (name: string) => app.inject({ method: 'DELETE', url: `/_svc/plugins/${name}/override` })
  const done = await clear('soap')
  t.equal(done.statusCode, 200)
  t.same(done.json(), host.records[0])
  host.clearResult = { outcome: 'unknown' }
  t.equal((await clear('nope')).statusCode, 404)
  t.same(host.calls, ['clear soap', 'clear nope'])
})

t.test('cascade and force are set only by a true value or the key alone [CTL-46]', async t => {
  const table: [query: string, isOn: boolean][] = [
    ['', false],
    ['?', false],
    ['?X=', false],
    ['?X=false', false],
    ['?X=0', false],
    ['?X=maybe', false],
    ['?x=true', false],
    ['?X=%', false],
    ['?X[a]=true', false],
    ['?X', true],
    ['?X=true', true],
    ['?X=1', true],
    ['?X=YES', true],
    ['?X=on', true],
    ['?a=b&X=true', true],
    ['?X=true&X=false', true],
    ['?X=false&X=true', false],
  ]
  for (const [query, isOn] of table) {
    const host = fakeHost()
    const app = await controlApp(t, host)
    const cascade = query.replaceAll('X', 'cascade')
    await app.inject({ method: 'POST', url: `/_svc/plugins/soap/enable${cascade}` })
    await app.inject({ method: 'POST', url: `/_svc/plugins/soap/disable${cascade}` })
    await app.inject({ method: 'POST', url: `/_svc/reload${query.replaceAll('X', 'force')}` })
    t.same(
      host.calls,
      isOn
        ? ['switch soap on cascade', 'switch soap off cascade', 'reload force']
        : ['switch soap on', 'switch soap off', 'reload'],
      query,
    )
  }
})

t.test('reload returns what changed, or 422 if nothing could be applied [CTL-47]', async t => {
  const host = fakeHost()
  const app = await controlApp(t, host)
  const applied = await app.inject({ method: 'POST', url: '/_svc/reload' })
  t.equal(applied.statusCode, 200)
  t.same(applied.json(), host.reloadResult)
  host.reloadResult = {
    ...host.reloadResult,
    applied: false,
    load_errors: [{ file: '/etc/svc.yaml', at: null, message: 'no YAML', line: 3 }],
  }
  const refused = await app.inject({ method: 'POST', url: '/_svc/reload' })
  t.equal(refused.statusCode, 422)
  t.same(refused.json(), host.reloadResult)
})

t.test('without the admin token nothing is switched, reloaded or revealed [CTL-48]', async t => {
  const host = fakeHost({ refusal: refusal() })
  const app = await controlApp(t, host)
  const guarded = [
    ['POST', '/_svc/reload'],
    ['POST', '/_svc/plugins/soap/enable'],
    ['POST', '/_svc/plugins/nope/disable'],
    ['DELETE', '/_svc/plugins/soap/override'],
  ] as const
  for (const [method, url] of guarded) {
    const reply = await app.inject({ method, url })
    t.equal(reply.statusCode, 401, url)
    t.same(reply.json(), { error: 'admin token required' })
  }
  t.same(host.calls, [])
})
