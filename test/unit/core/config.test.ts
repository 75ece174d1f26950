/** From the environment to the effective configuration and its view. */
import t from 'tap'
import { limitsView } from '../../../core/config/effective.ts'
import { getAt } from '../../../core/config/dotted-path.ts'
import {
  configurationTable,
  effectiveView,
  readEnvironment,
  variables,
  type Config,
} from '../../support/environment.ts'

const state = { configFile: null, generation: 1, warnings: [] }

/** Value at a dotted path of the configuration, and the warnings, for one variable. */
function read(name: string, value: string, field: string): { value: unknown; warnings: string[] } {
  const { config, warnings } = readEnvironment({ [name]: value })
  return { value: getAt(config, field), warnings }
}

t.test('an empty environment gives the defaults, without a warning', async t => {
  const { config, warnings } = readEnvironment({ PATH: '/bin', HOME: '/' })
  t.strictSame(warnings, [])
  t.match(config.instanceId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.not(config.instanceId, readEnvironment({}).config.instanceId)
  const expected: Config = {
    httpPort: 80,
    httpsPort: 443,
    grpcPort: 50051,
    portsSet: { http: false, https: false, grpc: false },
    parentPipe: false,
    host: '0.0.0.0',
    logLevel: 'info',
    logFormat: 'text',
    instanceId: config.instanceId,
    gitSha: null,
    requestTimeoutSecs: 120,
    bodyLimit: 1048576,
    trustForward: false,
    proxyProtocol: { http: 'off', https: 'off', grpc: 'off' },
    proxyProtocolFrom: null,
    basePath: null,
    fastPaths: true,
    tlsCert: 'certs/server.crt',
    tlsKey: 'certs/server.key',
    mtlsInHeader: null,
    publicMode: false,
    loadMode: false,
    hostedMode: false,
    grpcOnHttp: false,
    adminToken: null,
    corsOrigins: ['*'],
    isCorsAnyByUser: false,
    hosts: [],
    inspectorCapacity: 500,
    controlAuth: 'open',
    controlJwtPublicKey: null,
    controlJwtAudience: config.instanceId,
    consoleTitle: null,
    consoleBacklink: null,
    configFile: null,
    pluginDirs: [],
    watch: true,
    maxDelayMs: 30000,
    budgets: {
      outputBytes: 16_777_216,
      steps: 5_000_000,
      unsentStreamBytes: 262_144,
      unsentClientBytes: 4_194_304,
      unsentTotalBytes: 67_108_864,
      http2Streams: 256,
      workMs: 20,
    },
    workers: 1,
    stateStore: {
      url: null,
      password: null,
      prefix: 'svc',
      ca: null,
      isCluster: false,
      timeoutMs: 1000,
      secret: null,
    },
    plan: {
      name: 'none',
      active: false,
      limits: {
        scope: 'instance',
        period: 'month',
        rps: null,
        burst: null,
        concurrency: null,
        streams: null,
        streamLifetimeSecs: null,
        requests: null,
        egressBytes: null,
      },
    },
    usageFile: null,
    shared: {
      enabled: false,
      requireKey: false,
      registry: null,
      registryToken: null,
      registrySecs: 60,
      dailyRequests: 10000,
      quotaStore: null,
    },
    mcp: { clockTickSecs: 5, apiKey: null, resourceUrl: null, acceptedAudiences: ['svc'], allowedOrigins: ['*'] },
    ai: { requireAuth: false, apiKey: null, validation: 'warn', directives: true as const },
    a2a: { pushAllowlist: [], pushAllowAll: false },
    mocks: { dir: null, sample: true, callbackAllowlist: [] },
  }
  t.strictSame(config, expected)
})

t.test('valid values are accepted in all forms [ENV-1] [ENV-3] [ENV-4]', async t => {
  const good: [name: string, text: string, field: string, value: unknown][] = [
    ['SVC_HTTP_PORT', ' 8080 ', 'httpPort', 8080],
    ['SVC_HTTP_PORT', '0', 'httpPort', 0],
    ['SVC_HTTP_PORT', '65535', 'httpPort', 65535],
    ['SVC_HTTP_PORT', '', 'httpPort', 80],
    ['SVC_HTTP_PORT', '   ', 'httpPort', 80],
    ['SVC_HOST', '::', 'host', '::'],
    ['SVC_HOST', '[::1]', 'host', '::1'],
    ['SVC_HOST', 'LocalHost', 'host', '127.0.0.1'],
    ['SVC_REQUEST_TIMEOUT', '0', 'requestTimeoutSecs', 0],
    ['SVC_REQUEST_TIMEOUT', '86400', 'requestTimeoutSecs', 86400],
    ['SVC_BODY_LIMIT', '1073741824', 'bodyLimit', 1073741824],
    ['SVC_INSPECTOR_CAPACITY', '10000', 'inspectorCapacity', 10000],
    ['SVC_TRUST_FORWARD', 'Yes', 'trustForward', true],
    ['SVC_TRUST_FORWARD', '1', 'trustForward', true],
    ['SVC_TRUST_FORWARD', 'ON', 'trustForward', true],
    ['SVC_BASE_PATH', '/svc/', 'basePath', '/svc'],
    ['SVC_BASE_PATH', '/a/b', 'basePath', '/a/b'],
    ['SVC_BASE_PATH', '/', 'basePath', null],
    ['SVC_FAST_PATHS', 'off', 'fastPaths', false],
    ['SVC_FAST_PATHS', 'on', 'fastPaths', true],
    ['SVC_WATCH', 'OFF', 'watch', false],
    ['SVC_WATCH', '0', 'watch', false],
    ['SVC_WATCH', 'no', 'watch', false],
    ['SVC_INSTANCE_ID', ' edge 1 ', 'instanceId', 'edge 1'],
    ['SVC_MTLS_IN_HEADER', 'X-Client-Cert', 'mtlsInHeader', 'X-Client-Cert'],
    ['SVC_CORS_ORIGINS', '', 'corsOrigins', []],
    ['SVC_CORS_ORIGINS', 'OFF', 'corsOrigins', []],
    [
      'SVC_CORS_ORIGINS',
      ' https://a.example/ , null,http://[::1]:8080',
      'corsOrigins',
      ['https://a.example', 'null', 'http://[::1]:8080'],
    ],
    ['SVC_CORS_ORIGINS', 'https://a.example,*', 'corsOrigins', ['*']],
    ['SVC_LOG_FORMAT', 'JSON', 'logFormat', 'json'],
    ['SVC_LOG_LEVEL', 'warn,http=debug', 'logLevel', 'warn'],
    ['RUST_LOG', 'debug', 'logLevel', 'debug'],
    ['SVC_PLUGINS_DIR', '/a:./b:', 'pluginDirs', ['/a', './b']],
    ['SVC_KEY_DAILY_REQUESTS', 'unlimited', 'shared.dailyRequests', null],
    ['SVC_KEY_DAILY_REQUESTS', '0', 'shared.dailyRequests', null],
    ['SVC_KEY_REGISTRY_SECS', '86400', 'shared.registrySecs', 86400],
    ['SVC_QUOTA_STORE', 'rediss://u:p@cache:6380/1', 'shared.quotaStore', 'rediss://u:p@cache:6380/1'],
    ['SVC_MCP_CLOCK_TICK_SECS', '3600', 'mcp.clockTickSecs', 3600],
    [
      'SVC_MCP_RESOURCE_URL',
      'https://gw.example/mcp/protected/',
      'mcp.resourceUrl',
      'https://gw.example/mcp/protected',
    ],
    ['SVC_MCP_ACCEPTED_AUDIENCES', 'a, b', 'mcp.acceptedAudiences', ['a', 'b']],
    ['SVC_MCP_ACCEPTED_AUDIENCES', 'None', 'mcp.acceptedAudiences', []],
    ['SVC_MCP_ALLOWED_ORIGINS', 'HTTPS://A.example/', 'mcp.allowedOrigins', ['https://a.example']],
    ['SVC_AI_API_KEY', 'k', 'ai.requireAuth', true],
    [
      'SVC_A2A_PUSH_ALLOWLIST',
      'Hooks.example, b.example:8443,[::1]:80',
      'a2a.pushAllowlist',
      ['hooks.example', 'b.example:8443', '[::1]:80'],
    ],
    ['SVC_A2A_PUSH_ALLOW_ALL', 'true', 'a2a.pushAllowAll', true],
    ['SVC_MOCKS_SAMPLE', 'off', 'mocks.sample', false],
  ]
  for (const [name, text, field, value] of good)
    t.strictSame(read(name, text, field), { value, warnings: [] }, `${name}=${text}`)
  t.equal(readEnvironment({ SVC_LOG_LEVEL: 'error', RUST_LOG: 'debug' }).config.logLevel, 'error')
  t.equal(readEnvironment({ SVC_INSTANCE_ID: 'edge-1' }).config.controlJwtAudience, 'edge-1')
})

t.test('invalid values give a warning and the default [ENV-2] [ENV-3]', async t => {
  const bad: [name: string, text: string, field: string, value: unknown, warning?: string][] = [
    [
      'SVC_BODY_LIMIT',
      'lots',
      'bodyLimit',
      1048576,
      'invalid SVC_BODY_LIMIT "lots" (expected bytes, 1 to 1073741824), using 1048576',
    ],
    ['SVC_BODY_LIMIT', '0', 'bodyLimit', 1048576],
    ['SVC_BODY_LIMIT', '1073741825', 'bodyLimit', 1048576],
    ['SVC_BODY_LIMIT', '1_000', 'bodyLimit', 1048576],
    ['SVC_HTTP_PORT', '65536', 'httpPort', 80, 'invalid SVC_HTTP_PORT "65536" (expected port, 0 to 65535), using 80'],
    ['SVC_HTTP_PORT', '-1', 'httpPort', 80],
    ['SVC_HTTP_PORT', '+80', 'httpPort', 80],
    ['SVC_HTTP_PORT', '0x50', 'httpPort', 80],
    ['SVC_HTTP_PORT', '8e1', 'httpPort', 80],
    ['SVC_HTTP_PORT', '80.0', 'httpPort', 80],
    ['SVC_HTTP_PORT', '٨٠', 'httpPort', 80],
    ['SVC_HTTP_PORT', '9'.repeat(400), 'httpPort', 80],
    ['SVC_HOST', 'example.com', 'host', '0.0.0.0'],
    ['SVC_HOST', '[127.0.0.1]', 'host', '0.0.0.0'],
    ['SVC_HOST', '1.2.3', 'host', '0.0.0.0'],
    ['SVC_REQUEST_TIMEOUT', '86401', 'requestTimeoutSecs', 120],
    ['SVC_INSPECTOR_CAPACITY', 'many', 'inspectorCapacity', 500],
    [
      'SVC_BASE_PATH',
      'svc',
      'basePath',
      null,
      'invalid SVC_BASE_PATH "svc" (expected path such as /svc, at most 256 characters), using none',
    ],
    [
      'SVC_TRUST_FORWARD',
      'maybe',
      'trustForward',
      false,
      'invalid SVC_TRUST_FORWARD "maybe" (expected true or false), using false',
    ],
    [
      'SVC_MTLS_IN_HEADER',
      'X Client',
      'mtlsInHeader',
      null,
      'invalid SVC_MTLS_IN_HEADER "X Client" (expected HTTP header name), using none',
    ],
    ['SVC_LOG_FORMAT', 'xml', 'logFormat', 'text'],
    ['SVC_LOG_LEVEL', 'loud', 'logLevel', 'info'],
    [
      'SVC_CONTROL_AUTH',
      'gold',
      'controlAuth',
      'open',
      'invalid SVC_CONTROL_AUTH "gold" (expected open, token or jwt), using open',
    ],
    ['SVC_PLAN', 'gold', 'plan.name', 'none'],
    ['SVC_KEY_REGISTRY_SECS', '0', 'shared.registrySecs', 60],
    ['SVC_KEY_DAILY_REQUESTS', '1_000', 'shared.dailyRequests', 10000],
    ['SVC_MCP_CLOCK_TICK_SECS', '3601', 'mcp.clockTickSecs', 5],
    ['SVC_MCP_RESOURCE_URL', 'gw.example/mcp', 'mcp.resourceUrl', null],
    ['SVC_MCP_RESOURCE_URL', 'https:gw.example', 'mcp.resourceUrl', null],
    ['SVC_QUOTA_STORE', 'http://cache', 'shared.quotaStore', null],
  ]
  for (const [name, text, field, value, warning] of bad) {
    const result = read(name, text, field)
    t.strictSame(result.value, value, `${name}=${text}`)
    t.equal(result.warnings.length, 1, `one warning about ${name}=${text}`)
    t.ok(result.warnings[0]!.startsWith(`invalid ${name}`) && result.warnings[0]!.length < 400)
    if (warning !== undefined) t.equal(result.warnings[0], warning)
  }
  t.match(read('SVC_INSTANCE_ID', 'é', 'instanceId'), {
    value: /^[0-9a-f-]{36}$/,
    warnings: [/^invalid SVC_INSTANCE_ID/],
  })
  t.match(read('SVC_INSTANCE_ID', 'x'.repeat(129), 'instanceId'), {
    value: /^[0-9a-f-]{36}$/,
    warnings: [/^invalid SVC_INSTANCE_ID/],
  })
  t.notMatch(read('SVC_HOST', 'a\u001b[31m\u009b\nb', 'host').warnings[0], /\p{Cc}/u, 'control characters are escaped')
})

t.test('the inspector capacity is clamped [ENV-3]', async t => {
  t.strictSame(read('SVC_INSPECTOR_CAPACITY', '99999', 'inspectorCapacity'), {
    value: 10000,
    warnings: ['SVC_INSPECTOR_CAPACITY: "99999" is outside 1 to 10000, using 10000'],
  })
  t.equal(read('SVC_INSPECTOR_CAPACITY', '0', 'inspectorCapacity').value, 1)
  t.equal(read('SVC_INSPECTOR_CAPACITY', '-5', 'inspectorCapacity').value, 1)
  t.equal(read('SVC_INSPECTOR_CAPACITY', '9'.repeat(400), 'inspectorCapacity').value, 10000)
})

t.test('unknown variables are reported with the closest known one [ENV-5]', async t => {
  t.strictSame(readEnvironment({ SVC_HTP_PORT: '1', svc_http_port: '2', XSVC_A: '3' }).warnings, [
    'unknown variable SVC_HTP_PORT (closest match: SVC_HTTP_PORT)',
  ])
  t.equal(
    readEnvironment({ SVC_MCP_APIKEY: 'secret' }).warnings.join(),
    'unknown variable SVC_MCP_APIKEY (closest match: SVC_MCP_API_KEY)',
  )
  t.equal(
    readEnvironment(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`SVC_X${index}`, '1']))).warnings
      .length,
    100,
    'bounded',
  )
})

t.test('secrets are in neither the warnings nor the view [ENV-6] [VIEW-1]', async t => {
  const secret = 'hunter2'
  const env = Object.fromEntries(
    variables.filter(variable => variable.secret === true).map(variable => [variable.name, `${secret}\u0000`]),
  )
  const { config, warnings } = readEnvironment({
    ...env,
    SVC_CONSOLE_BACKLINK: `https://user:${secret}@host/`,
    SVC_MCP_RESOURCE_URL: `https://${secret}@host`,
  })
  const view = effectiveView(config, { ...state, warnings })
  t.equal(Object.keys(env).length, 9)
  t.notMatch(JSON.stringify({ view, warnings }), secret)
  t.match(view, {
    admin_token_configured: true,
    control_jwt_key_configured: true,
    quota_store_configured: false,
    ai: { api_key_configured: true },
    mcp: { api_key_configured: true },
  })
  t.ok(warnings.includes('invalid SVC_QUOTA_STORE (expected redis:// or rediss:// URL), using none'))
})

t.test('hosted mode sets defaults that variables can override [ENV-7]', async t => {
  const settings = ({ config }: { config: Config }): unknown[] => [config.controlAuth, config.logFormat, config.watch]
  t.strictSame(settings(readEnvironment({ SVC_HOSTED_MODE: 'true' })), ['jwt', 'json', false])
  t.strictSame(
    settings(
      readEnvironment({ SVC_HOSTED_MODE: 'true', SVC_CONTROL_AUTH: 'none', SVC_LOG_FORMAT: 'text', SVC_WATCH: 'true' }),
    ),
    ['open', 'text', true],
  )
  t.strictSame(
    settings(
      readEnvironment({
        SVC_HOSTED_MODE: 'true',
        SVC_CONTROL_AUTH: 'wrong',
        SVC_LOG_FORMAT: 'wrong',
        SVC_WATCH: 'wrong',
      }),
    ),
    ['jwt', 'json', false],
  )
})

t.test('public mode lowers the limits for requests [ENV-11]', async t => {
  const { config, warnings } = readEnvironment({ SVC_PUBLIC_MODE: '1', SVC_A2A_PUSH_ALLOW_ALL: '1' })
  t.match(config, { maxDelayMs: 10000, watch: false, a2a: { pushAllowAll: false } })
  t.strictSame(warnings, ['SVC_A2A_PUSH_ALLOW_ALL has no effect in public mode'])
})

t.test('plans and overrides [ENV-8]', async t => {
  const free = {
    scope: 'session',
    period: 'day',
    rps: 5,
    burst: 20,
    concurrency: 10,
    streams: 3,
    streamLifetimeSecs: 300,
    requests: 10000,
    egressBytes: 1e9,
  }
  const none = {
    scope: 'instance',
    period: 'month',
    rps: null,
    burst: null,
    concurrency: null,
    streams: null,
    streamLifetimeSecs: null,
    requests: null,
    egressBytes: null,
  }
  const cases: [env: Record<string, string>, name: string, active: boolean, limits: Record<string, unknown>][] = [
    [{ SVC_PLAN: 'Free' }, 'free', true, free],
    [{ SVC_PLAN: 'off' }, 'none', false, none],
    [
      { SVC_PLAN: 'pro' },
      'pro',
      true,
      {
        scope: 'instance',
        period: 'month',
        rps: 50,
        burst: 200,
        concurrency: 100,
        streams: 25,
        streamLifetimeSecs: 3600,
        requests: 1e6,
        egressBytes: 1e10,
      },
    ],
    [
      { SVC_PLAN: 'TEAM' },
      'team',
      true,
      {
        scope: 'instance',
        period: 'month',
        rps: 250,
        burst: 1000,
        concurrency: 500,
        streams: 200,
        streamLifetimeSecs: 14400,
        requests: 1e7,
        egressBytes: 1e11,
      },
    ],
    [{ SVC_PLAN: 'enterprise' }, 'enterprise', true, none],
    [{ SVC_PLAN: 'enterprise', SVC_LIMIT_CONCURRENCY: '4' }, 'enterprise', true, { ...none, concurrency: 4 }],
    [{ SVC_PLAN: 'free', SVC_LIMIT_RPS: '1' }, 'free', true, { ...free, rps: 1 }],
    [{ SVC_PLAN: 'free', SVC_LIMIT_RPS: 'unlimited' }, 'free', true, { ...free, rps: null, burst: null }],
    [{ SVC_PLAN: 'free', SVC_LIMIT_BURST: '0' }, 'free', true, { ...free, burst: 5 }],
    [{ SVC_LIMIT_RPS: '1_000' }, 'custom', true, { ...none, rps: 1000, burst: 1000 }],
    [{ SVC_LIMIT_RPS: '0' }, 'custom', true, none],
    [
      { SVC_LIMIT_EGRESS_MB: '.5', SVC_LIMIT_PERIOD: 'Daily', SVC_LIMIT_SCOPE: 'Client' },
      'custom',
      true,
      { ...none, egressBytes: 500000, period: 'day', scope: 'session' },
    ],
    [{ SVC_LIMIT_EGRESS_MB: '1.0000004' }, 'custom', true, { ...none, egressBytes: 1000000 }],
    [{ SVC_LIMIT_STREAM_SECS: 'OFF', SVC_LIMIT_REQUESTS: '7' }, 'custom', true, { ...none, requests: 7 }],
  ]
  for (const [env, name, active, limits] of cases) {
    const { config, warnings } = readEnvironment(env)
    t.strictSame({ ...config.plan, warnings }, { name, active, limits, warnings: [] }, JSON.stringify(env))
  }
})

t.test('an invalid override has no effect [ENV-9]', async t => {
  for (const [name, value] of [
    ['RPS', 'abc'],
    ['RPS', '-1'],
    ['RPS', '1.5'],
    ['RPS', '_1'],
    ['RPS', '1__0'],
    ['RPS', '9'.repeat(30)],
    ['EGRESS_MB', '1e3'],
    ['EGRESS_MB', '1000000000001'],
    ['EGRESS_MB', '.'],
    ['PERIOD', 'year'],
    ['SCOPE', 'world'],
  ]) {
    const { config, warnings } = readEnvironment({ [`SVC_LIMIT_${name}`]: value })
    t.match(config.plan, { name: 'none', active: false }, `${name}=${value}`)
    t.equal(warnings.length, 1)
  }
  const { config } = readEnvironment({ SVC_PLAN: 'free', SVC_LIMIT_RPS: 'abc' })
  t.equal(config.plan.limits.rps, 5)
})

t.test('contradictory settings give warnings [ENV-10] [ENV-14]', async t => {
  const cases: [env: Record<string, string>, warning: RegExp][] = [
    [{ SVC_REQUIRE_KEY: 'true' }, /^SVC_REQUIRE_KEY turns shared mode on/],
    [{ SVC_CONTROL_AUTH: 'admin' }, /^SVC_CONTROL_AUTH is token and SVC_ADMIN_TOKEN is not set/],
    [{ SVC_CONTROL_AUTH: 'jwt' }, /^SVC_CONTROL_AUTH is jwt and neither/],
    [{ SVC_PLAN: 'free', SVC_USAGE_FILE: 'u.json' }, /^SVC_USAGE_FILE has no effect/],
    [{ SVC_LIMIT_BURST: '5' }, /^SVC_LIMIT_BURST has no effect/],
  ]
  for (const [env, warning] of cases) t.match(readEnvironment(env).warnings, [warning], JSON.stringify(env))
  t.match(readEnvironment({ SVC_REQUIRE_KEY: 'true' }).config.shared, { enabled: true, requireKey: true })
  t.strictSame(readEnvironment({ SVC_CONTROL_AUTH: 'jwt', SVC_ADMIN_TOKEN: 'x' }).warnings, [])
})

t.test('list entries that can never match are ignored [ENV-12]', async t => {
  t.strictSame(read('SVC_CORS_ORIGINS', 'https://a.example,b.example,https://c.example/path', 'corsOrigins'), {
    value: ['https://a.example'],
    warnings: [
      'SVC_CORS_ORIGINS: entry "b.example" is not a valid origin and is ignored',
      'SVC_CORS_ORIGINS: entry "https://c.example/path" is not a valid origin and is ignored',
    ],
  })
  const { value, warnings } = read(
    'SVC_A2A_PUSH_ALLOWLIST',
    'http://a,*.b,c/d,e:0,f:99999,::1,[x],ok',
    'a2a.pushAllowlist',
  )
  t.strictSame(value, ['ok'])
  t.equal(warnings.length, 7)
})

t.test('console title and back link are harmless [ENV-13]', async t => {
  t.equal(read('SVC_CONSOLE_TITLE', ' a\u0000b\u009bc ', 'consoleTitle').value, 'abc')
  t.equal(read('SVC_CONSOLE_TITLE', '\u0001', 'consoleTitle').value, null)
  t.equal(read('SVC_CONSOLE_TITLE', '😀'.repeat(90), 'consoleTitle').value, '😀'.repeat(80))
  t.equal(
    read('SVC_CONSOLE_BACKLINK', 'https://gw.example/a?b=c#d', 'consoleBacklink').value,
    'https://gw.example/a?b=c#d',
  )
  for (const bad of [
    'javascript:alert(1)',
    '//gw.example',
    'https:///x',
    'https://',
    'https:gw',
    'https://u@gw.example',
    'https://@gw.example',
    'https://gw/"',
    "https://gw/'",
    'https://gw/<',
    'https://gw/`',
    'https://gw/\\',
    'https://gw/a b',
    'ftp://gw',
    `https://gw/${'a'.repeat(2048)}`,
  ]) {
    t.match(
      read('SVC_CONSOLE_BACKLINK', bad, 'consoleBacklink'),
      { value: null, warnings: [/^invalid SVC_CONSOLE_BACKLINK/] },
      bad,
    )
  }
})

t.test('the view has every field, and the limits of the usage record [VIEW-1] [VIEW-2]', async t => {
  const { config } = readEnvironment({
    SVC_INSTANCE_ID: 'edge-1',
    SVC_CONFIG_FILE: 'mine.yaml',
    SVC_PLAN: 'free',
    SVC_LIMIT_STREAMS: '0',
    SVC_SHARED_MODE: '1',
    SVC_KEY_REGISTRY: 'HTTPS://keys.example/k',
  })
  const limits = {
    active: true,
    scope: 'session',
    period: 'day',
    rps: 5,
    burst: 20,
    concurrency: 10,
    streams: null,
    stream_lifetime_secs: 300,
    requests: 10000,
    egress_bytes: 1e9,
    usage_file_configured: false,
  }
  t.strictSame(effectiveView(config, { configFile: '/etc/mine.yaml', generation: 3, warnings: ['w'] }), {
    public_mode: false,
    load_mode: false,
    hosted_mode: false,
    http_port: 80,
    https_port: 443,
    budgets: {
      output_bytes: 16_777_216,
      steps: 5_000_000,
      stream_bytes: 262_144,
      client_bytes: 4_194_304,
      memory_bytes: 67_108_864,
      http2_streams: 256,
      work_ms: 20,
    },
    grpc_port: 50051,
    host: '0.0.0.0',
    grpc_on_http: false,
    tls_cert: 'certs/server.crt',
    tls_key: 'certs/server.key',
    mtls_in_header: null,
    trust_forward: false,
    proxy_protocol: { http: 'off', https: 'off', grpc: 'off' },
    proxy_protocol_from: null,
    base_path: null,
    request_timeout_secs: 120,
    body_limit: 1048576,
    cors_allow_origins: ['*'],
    hosts: [],
    fast_paths: true,
    instance_id: 'edge-1',
    log_level: 'info',
    log_format: 'text',
    inspector_capacity: 500,
    admin_token_configured: false,
    control_auth: 'open',
    control_jwt_key_configured: false,
    control_jwt_audience: 'edge-1',
    console_title: null,
    console_backlink: null,
    config_file: '/etc/mine.yaml',
    plugin_dirs: [],
    watch: true,
    mocks: { dir: null, sample: true, callback_allowlist: [] },
    plan: 'free',
    limits,
    shared_mode: true,
    require_key: false,
    key_registry: 'url',
    quota_store_configured: false,
    workers: 1,
    state_store_configured: false,
    state_store_prefix: 'svc',
    state_store_cluster: false,
    state_store_timeout_ms: 1000,
    state_store_encrypted: false,
    ai: { require_auth: false, api_key_configured: false, validation: 'warn', directives: true },
    mcp: {
      clock_tick_secs: 5,
      api_key_configured: false,
      resource_url: null,
      accepted_audiences: ['svc'],
      allowed_origins: ['*'],
    },
    a2a: { push_allowlist: [], push_allow_all: false },
    max_delay_ms: 30000,
    generation: 3,
    warnings: ['w'],
  })
  t.strictSame(limitsView(config), limits)
  const inactive = limitsView(readEnvironment({ SVC_USAGE_FILE: 'u' }).config)
  t.match(inactive, { active: false, rps: null, egress_bytes: null, usage_file_configured: true })
  const kind = (env: Record<string, string>): unknown => effectiveView(readEnvironment(env).config, state).key_registry
  t.strictSame(
    [kind({}), kind({ SVC_SHARED_MODE: '1' }), kind({ SVC_SHARED_MODE: '1', SVC_KEY_REGISTRY: './k.yaml' })],
    [null, 'open', 'file'],
  )
})

t.test('the reference has a row for every variable', async t => {
  const [, , ...rows] = configurationTable().split('\n')
  t.strictSame(
    rows.map(line => /^\| `(\w+)` \| .+ \| .+ \| .+\. \|$/.exec(line)?.[1]),
    variables.map(variable => variable.name),
  )
  t.equal(new Set(variables.map(variable => variable.name)).size, variables.length)
})

t.test('the PROXY protocol by listener, and whom it is believed from [PPR-1]', async t => {
  const read = (text: string): unknown => readEnvironment({ SVC_PROXY_PROTOCOL: text }).config.proxyProtocol
  t.strictSame(read('Strict'), { http: 'strict', https: 'strict', grpc: 'strict' })
  t.strictSame(read('http=strict, https=OPTIONAL'), { http: 'strict', https: 'optional', grpc: 'off' })
  for (const wrong of ['maybe', 'http', 'web=strict', 'http=on', 'http=strict=off', ','])
    t.match(readEnvironment({ SVC_PROXY_PROTOCOL: wrong }), { warnings: [/SVC_PROXY_PROTOCOL/] }, wrong)
  const from = readEnvironment({ SVC_PROXY_PROTOCOL_FROM: '10.0.0.0/8, ::1,2001:db8::/129,10.0.0.1/x,lb,1.2.3.4/8/9' })
  t.strictSame(from.config.proxyProtocolFrom, ['10.0.0.0/8', '::1'])
  t.match(from.warnings[0], /2001:db8::\/129.*is not an address/)
})
