/**
 * The gateway recipes: each file is well-formed and consistent, and the hosts, ports and paths in it exist. nginx, Envoy and
 * Traefik run with their files if they are installed.
 */
import t from 'tap'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, parse, validate } from 'graphql'
import { parseDocument } from 'yaml'
import type { Catalog } from '../../core/contract/plugin.ts'
import { blocksOf, root, runExamples } from '../support/examples.ts'
import { absence, gatewayFolder, startGateway } from '../support/real-gateways.ts'
import { serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { freePort, freePorts } from '../support/free-ports.ts'

const folder = join(root, 'docs', 'gateways')
const RESULTS = ['README.md', 'matrix.md', 'translation.md']
const pages = readdirSync(folder).filter(name => !RESULTS.includes(name))
const read = (page: string): string => readFileSync(join(folder, page), 'utf8')

/** The block of a page that begins with `# <name>`. */
function fileOf(page: string, name: string): string {
  return blocksOf(read(page)).find(({ text }) => text.startsWith(`# ${name}\n`))!.text
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- configuration of other products, of any shape
function yamlOf(page: string, name: string): any {
  const document = parseDocument(fileOf(page, name), { strict: true, uniqueKeys: true })
  if (document.errors.length > 0) throw document.errors[0]
  return document.toJS()
}

await runExamples(t, 'docs/gateways/README.md')

t.test('the service has the hosts, ports and paths in the recipes [DOC-3]', async t => {
  const server = await serve(t)
  const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as Catalog
  // The path in a recipe is a route or the base path of several.
  const isServed = (path: string): boolean =>
    endpoints.some(({ path: template }) => {
      const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\\?\*?\w+\}/g, '[^?]+')
      return (
        template === path ||
        template.startsWith(path.endsWith('/') ? path : `${path}/`) ||
        new RegExp(`^${pattern}$`).test(path)
      )
    })
  t.notOk(isServed('/no/such'), 'the check detects a missing path')
  for (const page of pages) {
    const text = read(page)
    const blocks = blocksOf(text)
      .map(block => block.text)
      .join('\n')
    const ports = [...blocks.matchAll(/\bsvc(?::|, port_value: )(\d+)/g)].map(([, port]) => port!)
    t.ok(ports.length > 0, `${page} names the service`)
    // 5514 is the syslog port of svc.yaml.example.
    for (const port of ports) t.match(port, /^(?:8080|8443|50051|5514)$/, page)
    for (const [, path] of blocks.matchAll(/http:\/\/svc:8080(?:\/demo)?(\/[^\s"']+)/g))
      t.ok(isServed(path!), `${page}: ${path}`)
    for (const [, path] of text.matchAll(
      /`(?:GET |POST |PUT )?(\/(?!v1|etc|usr|demo|llm|a%|svc\.echo)[a-z][^\s`*]*)`/g,
    ))
      t.ok(isServed(path!), `${page}: ${path}`)
  }
})

/** The files that name a service of svc which a gateway asks or reports to, with the tests that start the gateway with them. */
const STARTED: Readonly<Record<string, string>> = {
  'envoy.md services.yaml': 'docs/gateways.test.ts',
  'envoy.md rate-limits.yaml': 'docs/gateways.test.ts',
  'envoy.md authz-http.yaml': 'programs/gateway-authorization.test.ts',
  'envoy.md reports.yaml': 'programs/gateway-reports.test.ts',
  'nginx.md authz.conf': 'programs/gateway-authorization.test.ts',
  'caddy.md authz.caddyfile': 'programs/gateway-authorization.test.ts',
  'litellm.md litellm.yaml': 'programs/gateway-guards.test.ts',
}
const NAMES_SERVICE =
  /ext_authz|ext_proc|rate_limit_service|svc_limit|auth_request|forward_auth|http_grpc|opentelemetry|syslog|\/guardrails\//

t.test('every file that names a service is one that a test starts [DOC-3]', async t => {
  const found = pages.flatMap(page =>
    blocksOf(read(page))
      .filter(({ text }) => NAMES_SERVICE.test(text))
      .map(({ text }) => `${page} ${/^# (.+)/.exec(text)?.[1] ?? text.split('\n', 1)[0]}`),
  )
  t.strictSame(found.toSorted(), Object.keys(STARTED).toSorted())
  for (const [file, test] of Object.entries(STARTED))
    t.match(readFileSync(join(root, 'test', test), 'utf8'), file.split(' ')[1]!, file)
})
t.test(
  'GraphQL gateways: the files are those of the service, and the query joins the graphs [DOC-3] [GQLSUB-13]',
  async t => {
    const server = await serve(t)
    const files: Record<string, [page: string, name: string]> = {
      'apollo-router': ['apollo-router.md', '# router.yaml'],
      'hive-gateway': ['hive.md', '// gateway.config.ts'],
      'hive-router': ['hive.md', '# router.config.yaml'],
      cosmo: ['cosmo.md', '# graph.yaml'],
      grafbase: ['grafbase.md', '# grafbase.toml'],
    }
    for (const [gateway, [page, name]] of Object.entries(files)) {
      const text = await (await fetch(`${server.url}/graphql/supergraph/config/${gateway}`)).text()
      const block = blocksOf(read(page)).find(({ text: found }) => found.startsWith(`${name}\n`))!
      t.equal(block.text.trim(), `${name}\n${text.replaceAll(server.url, 'http://svc:8080')}`.trim(), page)
    }
    const supergraph = await (await fetch(`${server.url}/graphql/supergraph.graphql`)).text()
    for (const page of new Set(Object.values(files).map(([page]) => page))) {
      const [, body] = /-H 'X-Tenant: blue' -d '([^']+)'/.exec(read(page))!
      const { query } = JSON.parse(body!) as { query: string }
      // What the composer adds does not matter here: the fields exist in the joined graph.
      const fields = validate(buildSchema(supergraph, { assumeValid: true, assumeValidSDL: true }), parse(query))
      t.strictSame(fields, [], page)
    }
  },
)

t.test('Kong: every service has routes with the right protocol [DOC-3]', async t => {
  const { _format_version, services, plugins } = yamlOf('kong.md', 'kong.yaml')
  t.equal(_format_version, '3.0')
  for (const { name, url, routes } of services) {
    t.match(url, /^(?:http:\/\/svc:8080|grpc:\/\/svc:50051)$/, name)
    for (const route of routes) {
      t.ok(route.name && route.paths.every((path: string) => path.startsWith('/')), name)
      if (url.startsWith('grpc:')) t.ok(route.protocols.includes('grpc'), name)
    }
  }
  const names = services.flatMap((service: { name: string; routes: { name: string }[] }) => [
    service.name,
    ...service.routes.map(route => `route ${route.name}`),
  ])
  t.equal(new Set(names).size, names.length, 'no name twice')
  for (const { name, config } of plugins) t.ok(name && config)
})

t.test('Envoy: every route leads to a cluster with an endpoint [DOC-3]', async t => {
  const { listeners, clusters } = yamlOf('envoy.md', 'envoy.yaml').static_resources
  const manager = listeners[0].filter_chains[0].filters[0].typed_config
  t.equal(manager.http_filters.at(-1).name, 'envoy.filters.http.router', 'the router is the last filter')
  const known = clusters.map(({ name }: { name: string }) => name)
  for (const { match, route } of manager.route_config.virtual_hosts[0].routes)
    t.ok(known.includes(route.cluster), match.prefix)
  for (const { name, load_assignment } of clusters) {
    t.equal(load_assignment.cluster_name, name)
    t.equal(load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address, 'svc')
  }
})

t.test('agentgateway: every route has a backend [DOC-3]', async t => {
  const { routes } = yamlOf('agentgateway.md', 'agentgateway.yaml').binds[0].listeners[0]
  for (const { name, backends } of routes) {
    t.equal(backends.length, 1, name)
    const [backend] = backends
    t.ok(
      backend.mcp?.targets.length > 0 || backend.ai?.hostOverride === 'svc:8080' || backend.host === 'svc:8080',
      name,
    )
  }
  t.equal(routes.filter(({ matches }: { matches?: unknown }) => matches === undefined).length, 1, 'one takes the rest')
})

t.test('Claude Code Router: providers have models and addresses, and the default names one [DOC-3]', async t => {
  const block = blocksOf(read('claude-code-router.md')).find(({ text }) => text.startsWith('{'))!
  const { Providers, Router } = JSON.parse(block.text) as {
    Providers: { name: string; api_base_url: string; models: string[] }[]
    Router: { default: string }
  }
  for (const { name, api_base_url: address } of Providers) t.match(address, /^http:\/\/svc:8080\/ai\//, name)
  t.ok(Providers.flatMap(({ name, models }) => models.map(model => `${name},${model}`)).includes(Router.default))
})

t.test('LiteLLM: every model has a format and an address, and fallbacks name models [DOC-3]', async t => {
  const { model_list, litellm_settings, guardrails } = yamlOf('litellm.md', 'litellm.yaml')
  const names = model_list.map(({ model_name }: { model_name: string }) => model_name)
  for (const { litellm_params } of model_list)
    t.match(litellm_params, { model: /^\w+\/./, api_base: /^http:\/\/svc:8080\/ai\// })
  for (const fallback of litellm_settings.fallbacks) {
    for (const [from, to] of Object.entries<string[]>(fallback))
      t.ok(
        [from, ...to].every(name => names.includes(name)),
        from,
      )
  }
  t.match(guardrails[0].litellm_params.api_base, '/guardrails/azure')
})

t.test('Traefik: routers name entry points, middlewares and services that are defined [DOC-3]', async t => {
  const { entryPoints, providers } = yamlOf('traefik.md', 'traefik.yaml')
  t.match(providers.file.filename, /routes\.yaml$/)
  const { routers, middlewares, services } = yamlOf('traefik.md', 'routes.yaml').http
  for (const [name, router] of Object.entries<{
    rule: string
    entryPoints: string[]
    middlewares?: string[]
    service: string
  }>(routers)) {
    t.match(router.rule, /^PathPrefix\(`\/[^`]*`\)(?: \|\| PathPrefix\(`\/[^`]*`\))*$/, name)
    t.ok(
      router.entryPoints.every(entry => entry in entryPoints),
      name,
    )
    t.ok(
      (router.middlewares ?? []).every(middleware => middleware in middlewares),
      name,
    )
    t.ok(router.service in services, name)
  }
})

t.test('nginx: statements end, blocks close, upstreams and zones are defined [DOC-3]', async t => {
  const text = fileOf('nginx.md', 'nginx.conf')
  const tokens = text.replace(/#.*$/gm, '').match(/'[^']*'|[{};]|[^\s{};']+/g)!
  let depth = 0
  for (const [index, token] of tokens.entries()) {
    if (token === '{') depth++
    if (token === '}') {
      depth--
      t.match(tokens[index - 1], /^[{};]$/, 'the last statement of a block ends with a semicolon')
    }
  }
  t.equal(depth, 0)
  const upstreams = [...text.matchAll(/upstream (\w+)/g)].map(([, name]) => name)
  for (const [, name] of text.matchAll(/_pass \w+:\/\/(\w+);/g)) t.ok(upstreams.includes(name!), String(name))
  for (const [, name] of text.matchAll(/(?:proxy_cache |zone=)(\w+)[ ;]/g))
    t.match(text, new RegExp(`(?:keys_zone|zone)=${name}:1m`), String(name))
})

t.test('nginx accepts the file, adds its headers and caches [DOC-3]', { skip: absence('nginx') }, async t => {
  const server = await serve(t)
  const folder = gatewayFolder()
  const [web, grpc] = (await freePorts(2)) as [number, number]
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `  ${kind}_temp_path ${folder}/${kind};\n`)
    .join('')
  writeFileSync(
    join(folder, 'nginx.conf'),
    onThisMachine(fileOf('nginx.md', 'nginx.conf'), server)
      .replace('listen 8000', `listen 127.0.0.1:${web}`)
      .replace('listen 8001', `listen 127.0.0.1:${grpc}`)
      .replace('/tmp/nginx-cache', join(folder, 'cache'))
      .replace('http {', `pid ${folder}/pid; error_log ${folder}/log;\nhttp {\n  access_log off;\n${temporary}`),
  )
  const through = await startGateway(
    t,
    'nginx',
    ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'log'), '-g', 'daemon off;'],
    { port: web, folder },
  )
  const { headers } = (await (await through('/echo')).json()) as Echo
  t.match(headers, {
    'x-forwarded-for': ['127.0.0.1'],
    'x-forwarded-host': [`127.0.0.1:${web}`],
    'x-request-id': [/^[\da-f]{32}$/],
  })
  t.strictSame(
    [(await through('/cache/60')).headers.get('x-cache'), (await through('/cache/60')).headers.get('x-cache')],
    ['MISS', 'HIT'],
  )
})

t.test('Envoy accepts the file and retries [DOC-3]', { skip: absence('envoy') }, async t => {
  const server = await serve(t)
  const folder = gatewayFolder()
  const web = await freePort()
  writeFileSync(
    join(folder, 'envoy.yaml'),
    onThisMachine(fileOf('envoy.md', 'envoy.yaml'), server).replace('port_value: 8000', `port_value: ${web}`),
  )
  const through = await startGateway(
    t,
    'envoy',
    ['-c', join(folder, 'envoy.yaml'), '--log-level', 'off', '--base-id', String(web)],
    { port: web, folder },
  )
  t.equal((await through('/flaky/recover/2', { headers: { 'X-Svc-Session': 'envoy' } })).status, 200)
  const { requests } = (await (await fetch(`${server.url}/_svc/requests?session=envoy`)).json()) as {
    requests: { request_id: string; status: number }[]
  }
  t.strictSame(
    requests.map(({ status }) => status),
    [200, 503, 503],
  )
  t.equal(new Set(requests.map(({ request_id }) => request_id)).size, 1, 'with one request id')
})

t.test('Envoy asks svc before it forwards [DOC-3, GWS-6, GWS-9]', { skip: absence('envoy') }, async t => {
  const server = await serve(t)
  const folder = gatewayFolder()
  const web = await freePort()
  const config = yamlOf('envoy.md', 'envoy.yaml')
  const manager = config.static_resources.listeners[0].filter_chains[0].filters[0].typed_config
  manager.http_filters.unshift(...yamlOf('envoy.md', 'services.yaml'))
  manager.route_config.virtual_hosts[0].rate_limits = yamlOf('envoy.md', 'rate-limits.yaml')
  const text = JSON.stringify(config)
    .replaceAll('"address":"svc","port_value":8080', `"address":"127.0.0.1","port_value":${server.ports.http}`)
    .replaceAll('"address":"svc","port_value":50051', `"address":"127.0.0.1","port_value":${server.ports.grpc}`)
    // A window that does not end during the test.
    .replace('2/60s', '2/86400s')
    // The time that a busy machine may need.
    .replaceAll('"timeout":"1s"', '"timeout":"30s"')
    .replace('"port_value":8000', `"port_value":${web}`)
  writeFileSync(join(folder, 'envoy.json'), text)
  const through = await startGateway(
    t,
    'envoy',
    ['-c', join(folder, 'envoy.json'), '--log-level', 'off', '--base-id', String(web)],
    { port: web, folder },
  )
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    through(path, { headers: { 'X-Svc-Session': 'envoy', ...headers } })
  const remaining: (string | null)[] = []
  for (const status of [200, 200, 429]) {
    const response = await get('/echo/1')
    t.equal(response.status, status)
    remaining.push(response.headers.get('ratelimit-remaining'))
    if (status === 429) t.equal(response.headers.get('x-envoy-ratelimited'), 'true')
  }
  t.strictSame(remaining, ['1', '0', '0'])
  t.equal((await get('/echo/2')).status, 200, 'another path')
  t.equal((await get('/echo/3', { 'X-Svc-Authz': 'deny:451' })).status, 451)
  t.equal((await get('/echo/4', { 'X-Svc-Ratelimit': 'over' })).status, 429)
  t.equal((await get('/echo/5', { 'X-Svc-Ratelimit': 'error' })).status, 200, 'a failing service lets requests pass')
  await fetch(`${server.url}/_svc/rules/by-rule`, {
    method: 'PUT',
    body: JSON.stringify({
      match: { service: { name: 'ratelimit', descriptor: 'path=/echo/6' }, path: '/echo/6' },
      then: { decide: { code: 'over', headers: { 'X-By': 'rule' }, raw_body: 'later' } },
    }),
  })
  const decided = await get('/echo/6')
  t.equal(decided.status, 429)
  t.equal(decided.headers.get('x-by'), 'rule')
  t.equal(await decided.text(), 'later')
  const { requests } = (await (await fetch(`${server.url}/_svc/requests?path=/echo/*&limit=50`)).json()) as {
    requests: { path: string; services: { name: string; decision: string }[] }[]
  }
  t.strictSame(
    requests.map(({ path, services }) => [path, services.map(({ name, decision }) => `${name} ${decision}`).join()]),
    [
      ['/echo/5', 'authz allow,ratelimit error'],
      ['/echo/2', 'authz allow,ratelimit ok'],
      ['/echo/1', 'authz allow,ratelimit ok'],
      ['/echo/1', 'authz allow,ratelimit ok'],
    ],
    'what was denied did not arrive, and each arrival has its chain',
  )
})

t.test('Envoy verifies tokens, fails and recovers with the keys [DOC-3]', { skip: absence('envoy') }, async t => {
  const server = await serve(t)
  const folder = gatewayFolder()
  const web = await freePort()
  const config = yamlOf('envoy.md', 'envoy.yaml')
  config.static_resources.listeners[0].filter_chains[0].filters[0].typed_config.http_filters.unshift(
    ...yamlOf('envoy.md', 'jwt.yaml'),
  )
  const text = JSON.stringify(config)
    .replaceAll('"address":"svc","port_value":8080', `"address":"127.0.0.1","port_value":${server.ports.http}`)
    .replaceAll('http://svc:8080', server.url)
    .replaceAll('http://localhost:8080', server.url)
    .replace('"cache_duration":"5s"', '"cache_duration":"1s"')
    .replace('"port_value":8000', `"port_value":${web}`)
  writeFileSync(join(folder, 'envoy.json'), text)
  const control = (path: string, method: string, body: object): Promise<Response> =>
    fetch(`${server.url}/_svc/identity/issuers/gateway${path}`, { method, body: JSON.stringify(body) })
  await control('', 'PUT', {})
  const through = await startGateway(
    t,
    'envoy',
    ['-c', join(folder, 'envoy.json'), '--log-level', 'off', '--base-id', String(web)],
    { port: web, folder },
  )
  const token = async (): Promise<string> => {
    const credentials = { grant_type: 'client_credentials', client_id: 'svc', client_secret: 'svc-secret' }
    const init = { method: 'POST', body: new URLSearchParams(credentials) }
    const response = await fetch(`${server.url}/oauth/i/gateway/token`, init)
    return ((await response.json()) as { access_token: string }).access_token
  }
  const send = async (bearer: string): Promise<string> => {
    const response = await through('/auth/jwt?issuer=gateway', { headers: { Authorization: `Bearer ${bearer}` } })
    return `${response.status} ${await response.text()}`
  }
  const old = await token()
  t.match(await send('x'), /^401 Jwt/)
  t.match(await send(old), '200 {"authenticated":true')
  await control('/rotate', 'POST', { mode: 'hard' })
  const next = await token()
  await until(async () => (await send(next)).startsWith('200'), 'Envoy finds the new key')
  // Each worker of Envoy has its own cache.
  await until(async () => (await send(old)).startsWith("401 Jwks doesn't have key"), 'Envoy has dropped the old key')
  await control('/faults', 'PUT', { jwks: 'empty' })
  await until(async () => (await send(next)).startsWith('401 Jwks remote fetch is failed'), 'Envoy has no keys')
  await control('/faults', 'DELETE', {})
  await until(async () => (await send(next)).startsWith('200'), 'Envoy recovers')
})

t.test(
  'Traefik itself takes the files, adds its headers and breaks the circuit [DOC-3]',
  { skip: absence('traefik') },
  async t => {
    const server = await serve(t)
    const folder = gatewayFolder()
    const web = await freePort()
    writeFileSync(
      join(folder, 'traefik.yaml'),
      fileOf('traefik.md', 'traefik.yaml').replace(':8000', `:${web}`).replace('/etc/traefik', folder),
    )
    writeFileSync(join(folder, 'routes.yaml'), onThisMachine(fileOf('traefik.md', 'routes.yaml'), server))
    const through = await startGateway(t, 'traefik', [`--configFile=${join(folder, 'traefik.yaml')}`], {
      port: web,
      folder,
    })
    const { headers } = (await (await through('/echo')).json()) as Echo
    t.match(headers, {
      'x-forwarded-host': [`127.0.0.1:${web}`],
      'x-forwarded-server': [/./],
      'x-real-ip': ['127.0.0.1'],
    })
    const failing = { headers: { 'X-Svc-Session': 'traefik' } }
    await until(
      async () => (await through('/flaky/pattern/F', failing)).headers.get('x-request-id') === null,
      'Traefik answers itself',
    )
  },
)

interface Echo {
  headers: Record<string, string[]>
}

/** The file with the addresses of a test server instead of `svc`. */
function onThisMachine(text: string, { ports }: TestServer): string {
  return text
    .replaceAll('svc:8080', `127.0.0.1:${ports.http}`)
    .replaceAll('svc:50051', `127.0.0.1:${ports.grpc}`)
    .replaceAll('address: svc, port_value: 8080', `address: 127.0.0.1, port_value: ${ports.http}`)
    .replaceAll('address: svc, port_value: 50051', `address: 127.0.0.1, port_value: ${ports.grpc}`)
}
