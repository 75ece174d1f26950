/** The routes of the exports: index, headers, parameters and configuration files. */
import t from 'tap'
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'
import { EndpointSlice } from 'kubernetes-models/discovery.k8s.io/v1/EndpointSlice'
import { Service } from 'kubernetes-models/v1/Service'
import { parse, parseAllDocuments, parseDocument, type Document } from 'yaml'
import type { Catalog, PluginRecord } from '../../../core/contract/plugin.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

interface Index {
  base_url: string
  count: number
  formats: { id: string; title: string; description: string; path: string; media_type: string; filename: string }[]
}
interface Kong {
  _format_version: string
  services: {
    name: string
    url: string
    routes: { name: string; paths: string[]; strip_path: boolean; tags: string[] }[]
  }[]
}
interface Litellm {
  model_list: { model_name: string; litellm_params: Record<string, unknown> }[]
}
interface McpJson {
  mcpServers: Record<string, { type: string; url: string; headers?: Record<string, string> }>
}

const YAML = `
llm:
  providers:
    - { name: acme, format: openai, models: [acme-large], api_key: acme-secret }
mcp:
  servers:
    - { name: support, title: Support desk, tools: [add] }
    - { name: vault, title: Vault, auth: apikey, api_key: vault-secret, tools: [add] }
`
const OPTIONS = {
  yaml: YAML,
  env: {
    SVC_TRUST_FORWARD: 'true',
    SVC_AI_API_KEY: 'ai-secret',
    SVC_ADMIN_TOKEN: 'admin-secret',
    SVC_CONTROL_AUTH: 'token',
  },
}
const server = await serve(t, OPTIONS)
const get = (path: string, headers: Record<string, string> = {}) => send(server.url, path, { headers })
const ALL: [file: string, type: string, filename: string][] = [
  ['postman.json', 'application/json', 'svc-postman.json'],
  ['insomnia.json', 'application/json', 'svc-insomnia.json'],
  ['bruno.json', 'application/json', 'svc-bruno.json'],
  ['opencollection.yaml', 'application/yaml', 'svc-opencollection.yaml'],
  ['curl.sh', 'text/x-shellscript; charset=utf-8', 'svc-curl.sh'],
  ['requests.http', 'text/plain; charset=utf-8', 'svc.http'],
  ['requests.hurl', 'text/plain; charset=utf-8', 'svc.hurl'],
  ['k6.js', 'text/javascript; charset=utf-8', 'svc-k6.js'],
  ['har.json', 'application/json', 'svc.har'],
  ['kong.yaml', 'application/yaml', 'svc-kong.yaml'],
  ['gateway-api.yaml', 'application/yaml', 'svc-gateway-api.yaml'],
  ['litellm.yaml', 'application/yaml', 'svc-litellm.yaml'],
  ['mcp.json', 'application/json', 'mcp.json'],
  ['prometheus.yml', 'application/yaml', 'svc-prometheus.yml'],
]

t.test('the index lists the formats [EXPORT-1]', async t => {
  const reply = await get('/export')
  const index = reply.json<Index>()
  t.equal(index.base_url, server.url)
  t.equal(index.count, ALL.length)
  t.strictSame(
    index.formats.map(({ path, media_type, filename }) => [path.replace('/export/', ''), media_type, filename]),
    ALL,
  )
  t.equal(new Set(index.formats.map(({ id }) => id)).size, ALL.length)
  for (const { title, description } of index.formats) t.ok(title && description.endsWith('.'), title)
  t.equal(reply.headers['cache-control'], 'no-store')
  t.equal(reply.headers['content-disposition'], undefined)
})

t.test('every file has a type and a name and is not cached; HEAD has the same headers [EXPORT-2]', async t => {
  for (const [file, type, filename] of ALL) {
    const reply = await get(`/export/${file}`)
    const head = await send(server.url, `/export/${file}`, { method: 'HEAD' })
    for (const { status, headers } of [reply, head]) {
      t.equal(status, 200, file)
      t.equal(headers['content-type'], type)
      t.equal(headers['content-disposition'], `attachment; filename="${filename}"`)
      t.equal(headers['cache-control'], 'no-store')
      t.notMatch(headers.vary ?? '', /accept/i)
    }
    t.equal(head.headers['content-length'], reply.headers['content-length'])
    t.equal(head.body.length, 0)
    t.equal((await send(server.url, `/export/${file}`, { method: 'POST' })).status, 405)
    for (const secret of ['ai-secret', 'acme-secret', 'vault-secret', 'admin-secret'])
      t.notOk(reply.text.includes(secret), `${file} has no ${secret}`)
  }
  t.equal((await get('/export/none.json')).status, 404)
})

t.test('base_url is the given one, or that of the request [EXPORT-4]', async t => {
  const baseOf = async (query: string, headers = {}): Promise<unknown> =>
    (await get(`/export${query}`, headers)).json().base_url
  t.equal(await baseOf('', { Host: 'svc.test:8080' }), 'http://svc.test:8080')
  t.equal(
    await baseOf('', { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'gw.example', 'X-Forwarded-Prefix': '/demo' }),
    'https://gw.example/demo',
  )
  t.equal(
    await baseOf('', { 'X-Forwarded-Host': 'gw.example', 'X-Forwarded-Prefix': "/a'$(id)" }),
    'http://gw.example',
    'a prefix that no file may hold',
  )
  for (const [given, base] of [
    ['http://h', 'http://h'],
    ['http://h/', 'http://h'],
    ['https://gw.example:8443/demo/', 'https://gw.example:8443/demo'],
    ['http://[::1]:8080/x', 'http://[::1]:8080/x'],
    ['HTTP://h/a_b~c.d%20e-f', 'HTTP://h/a_b~c.d%20e-f'],
    [`http://h/${'a'.repeat(2039)}`, `http://h/${'a'.repeat(2039)}`],
  ] as const)
    t.equal(await baseOf(`?base_url=${encodeURIComponent(given)}`), base)
  for (const given of [
    '',
    'h',
    '/x',
    '//host',
    'ftp://h',
    'http:h',
    'http://',
    'http:///x',
    'http://h:99999',
    'http://h:',
    'http://a:b@h',
    'http://a@h',
    'http://h?x',
    'http://h#x',
    'http://h/?',
    "http://h'",
    'http://h"',
    'http://$(id)',
    'http://h/$(id)',
    'http://h/`id`',
    'http://h h',
    ' http://h',
    'http://h\n',
    'http://h/\nx',
    'http://h\\x',
    'http://h/{{x}}',
    'http://h/é',
    'http://[::zz]',
    'javascript:x',
    `http://h/${'a'.repeat(2040)}`,
  ]) {
    for (const file of ['', '/postman.json', '/curl.sh', '/kong.yaml']) {
      const reply = await get(`/export${file}?base_url=${encodeURIComponent(given)}`)
      t.equal(reply.status, 400, `${file} ${given}`)
      const { error, detail } = reply.json()
      t.equal(error, 'invalid base_url')
      t.match(detail, /expected an absolute http or https URL/)
      t.equal(reply.headers['content-disposition'], undefined)
    }
  }
  const points = async (file: string) => (await get(`/export/${file}?base_url=https://gw.example/demo/`)).text
  for (const [file] of ALL)
    t.match(
      await points(file),
      { 'prometheus.yml': 'gw.example:443', 'gateway-api.yaml': 'externalName: gw.example' }[file] ??
        'https://gw.example/demo',
      file,
    )
})

t.test('category, plugin and include select; unknown values are reported [EXPORT-5]', async t => {
  const namesOf = async (query: string): Promise<string[]> =>
    (await get(`/export/postman.json?${query}`)).json<{ item: { name: string }[] }>().item.map(({ name }) => name)
  t.strictSame(await namesOf('category=Status%20Codes'), ['Status Codes'])
  t.strictSame(await namesOf('category=GraphQL&category=Status%20Codes'), ['Status Codes', 'GraphQL'])
  t.strictSame(await namesOf('plugin=bins'), ['Request Bin & Webhooks'])
  t.strictSame(await namesOf('plugin=bins&category=GraphQL'), [])
  t.strictSame(await namesOf('plugin=demo-data'), [], 'a plugin without routes')
  t.match((await get('/export/kong.yaml?plugin=bins')).text, 'svc-bins')
  t.strictSame(parse((await get('/export/kong.yaml?plugin=bins')).text).services[0].routes.length, 1)
  t.strictSame(parse((await get('/export/litellm.yaml?plugin=llm-gemini')).text).model_list.length, 1)
  t.strictSame((await get('/export/mcp.json?plugin=bins')).json(), { mcpServers: {} })
  t.strictSame(parse((await get('/export/prometheus.yml?plugin=bins')).text), { scrape_configs: [] })
  for (const category of ['', 'status%20codes', 'Nope', 'GraphQL&category=']) {
    const reply = await get(`/export/har.json?category=${category}`)
    t.equal(reply.status, 400)
    t.equal(reply.json().error, 'unknown category')
    t.ok(reply.json<{ categories: string[] }>().categories.includes('GraphQL'))
  }
  for (const plugin of ['', 'nope', 'Bins']) {
    const reply = await get(`/export?plugin=${plugin}`)
    t.equal(reply.status, 400)
    t.equal(reply.json().error, 'unknown plugin')
    t.ok(reply.json<{ plugins: string[] }>().plugins.includes('bins'))
  }
  for (const include of ['', 'Control', 'all', 'control&include=x']) {
    const reply = await get(`/export/har.json?include=${include}`)
    t.equal(reply.status, 400)
    t.match(reply.json(), { error: 'unknown include', include: ['control'] })
  }
})

t.test('kong.yaml routes every plugin and the instance to one service [EXPORT-11]', async t => {
  const { text } = await get('/export/kong.yaml')
  const document = parseDocument(text, { strict: true, version: '1.1' })
  t.strictSame([document.errors, document.warnings], [[], []])
  const { _format_version, services } = document.toJS() as Kong
  t.equal(_format_version, '3.0')
  t.equal(services.length, 1)
  const [{ name, url, routes }] = services as [Kong['services'][number]]
  t.strictSame([name, url], ['svc', server.url])
  const { plugins } = (await get('/_svc/plugins', { 'X-Svc-Admin-Token': 'admin-secret' })).json<{
    plugins: PluginRecord[]
  }>()
  const { endpoints } = (await get('/_svc/catalog', { 'X-Svc-Admin-Token': 'admin-secret' })).json<Catalog>()
  for (const { plugin, path } of endpoints) {
    const isPrivate = /^\/(_svc|ui)(\/|$)/.test(path)
    const own = routes.find(
      route =>
        route.name === `svc-${plugin ?? 'instance'}` &&
        route.paths.some(prefix => path === prefix || path.startsWith(`${prefix}/`)),
    )
    if (plugin !== null && path !== '/') t.equal(own !== undefined, !isPrivate, `${plugin} ${path}`)
    if (isPrivate)
      t.notOk(
        routes.some(route => route.paths.some(prefix => path.startsWith(prefix))),
        `${path} is not routed`,
      )
  }
  t.strictSame(routes.find(route => route.name === 'svc-instance')?.paths, ['/health', '/identity', '/openapi.json'])
  t.strictSame(routes.find(route => route.name === 'svc-docs')?.paths, ['/docs'])
  t.strictSame(routes.find(route => route.name === 'svc-mocks')?.paths, ['/mock'])
  t.notOk(
    routes.some(route => route.name === 'svc-demo-data'),
    'no route without a path',
  )
  for (const route of routes) t.strictSame([route.strip_path, route.tags], [false, ['svc']], route.name)
  const servesClients = ({ name, paths }: PluginRecord): boolean =>
    paths.some(path => !/^\/(_svc|ui)/.test(path)) && endpoints.some(({ plugin }) => plugin === name)
  t.equal(routes.length, 1 + plugins.filter(servesClients).length)
})

t.test('gateway-api.yaml has a valid HTTPRoute per plugin, and a Service [EXPORT-17]', async t => {
  const one = await serve(t, { ...OPTIONS, oneProcess: 'the document contains its port' })
  const KINDS = { HTTPRoute, Service, EndpointSlice }
  interface Rule {
    matches: { path: { type: string; value: string } }[]
    filters?: { urlRewrite: { path: object } }[]
    backendRefs: { name: string; port: number }[]
  }
  const read = async (query = '') => {
    const documents = parseAllDocuments((await send(one.url, `/export/gateway-api.yaml${query}`)).text, {
      strict: true,
      version: '1.1',
    }) as Document[]
    return documents.map(document => {
      t.strictSame([document.errors, document.warnings], [[], []])
      const manifest = document.toJS() as {
        kind: keyof typeof KINDS
        metadata: { name: string }
        spec: { rules: Rule[]; externalName?: string; ports: { port: number; appProtocol?: string }[] }
      }
      new KINDS[manifest.kind](manifest as never).validate()
      return manifest
    })
  }
  const manifests = await read()
  t.strictSame(manifests.map(({ kind }) => kind).slice(0, 3), ['Service', 'EndpointSlice', 'HTTPRoute'])
  const rules = manifests.filter(({ kind }) => kind === 'HTTPRoute').flatMap(({ spec }) => spec.rules)
  const prefixes = rules.flatMap(({ matches }) => matches.map(({ path }) => path.value))
  const { services } = parse((await get('/export/kong.yaml')).text) as Kong
  t.strictSame(
    prefixes,
    services[0]!.routes.flatMap(({ paths }) => paths),
    'the same as Kong routes',
  )
  for (const { backendRefs, filters } of rules)
    t.strictSame([backendRefs, filters], [[{ name: 'svc', port: one.ports.http }], undefined])
  const [service, ...routes] = await read('?base_url=https://gw.example/demo&plugin=echo')
  t.match(service!.spec, {
    type: 'ExternalName',
    externalName: 'gw.example',
    ports: [{ port: 443, appProtocol: 'https' }],
  })
  t.strictSame(
    routes.map(({ metadata, spec }) => [metadata.name, spec.rules.map(({ filters }) => filters![0]!.urlRewrite.path)]),
    [
      [
        'svc-echo',
        [
          { type: 'ReplacePrefixMatch', replacePrefixMatch: '/demo/echo' },
          { type: 'ReplacePrefixMatch', replacePrefixMatch: '/demo/anything' },
          { type: 'ReplacePrefixMatch', replacePrefixMatch: '/demo/wire' },
        ],
      ],
    ],
  )
  t.equal((await read('?base_url=http://[::1]:8080'))[1]!.kind, 'EndpointSlice')
  const textOf = async (base: string) =>
    (await send(one.url, `/export/gateway-api.yaml?plugin=echo&base_url=${base}`)).text
  const named = await textOf('http://svc.example:8080')
  t.match(named, /^# The Service is an ExternalName, which Gateway API advises against/)
  const [offered] = parseAllDocuments(
    named
      .split('\n')
      .filter(line => /^# (?:apiVersion|kind|metadata|spec|  )/.test(line))
      .map(line => line.slice(2))
      .join('\n'),
  ) as Document[]
  const inCluster = offered!.toJS() as { spec: { selector: object; ports: object[] } }
  new Service(inCluster as never).validate()
  t.strictSame(inCluster.spec, { selector: { app: 'svc' }, ports: [{ name: 'http', port: 8080 }] })
  t.notMatch(await textOf('http://10.0.0.1:8080'), 'ExternalName')
})

t.test('litellm.yaml has a model per provider, which responds below its api_base [EXPORT-12]', async t => {
  const configuration = parse((await get('/export/litellm.yaml')).text, { version: '1.1' }) as Litellm
  const { model_list: models } = configuration
  t.match(configuration, {
    general_settings: { master_key: /^sk-/ },
    litellm_settings: { drop_params: true },
    mcp_servers: { svc: { url: `${server.url}/mcp`, transport: 'http' } },
  })
  t.notOk('mcp_servers' in parse((await get('/export/litellm.yaml?plugin=llm-gemini')).text))
  t.strictSame(
    models.map(({ model_name }) => model_name),
    ['svc-openai', 'svc-azure', 'svc-anthropic', 'svc-gemini', 'svc-bedrock', 'svc-ollama', 'svc-cohere', 'svc-acme'],
  )
  const params = Object.fromEntries(models.map(({ model_name, litellm_params }) => [model_name, litellm_params]))
  t.strictSame(params['svc-acme'], {
    model: 'openai/acme-large',
    api_base: `${server.url}/ai/acme/v1`,
    api_key: 'os.environ/SVC_ACME_API_KEY',
  })
  t.equal(params['svc-openai']?.api_key, 'os.environ/SVC_AI_API_KEY')
  t.equal(typeof params['svc-azure']?.api_version, 'string', 'no date')
  t.match(
    params['svc-bedrock']?.model,
    /^bedrock\/converse\/anthropic\.claude-/,
    'a model that LiteLLM knows: it refuses tools for others',
  )
  for (const [provider, model] of Object.entries({
    openai: 'openai/gpt-4o',
    azure: 'azure/gpt-4o',
    anthropic: 'anthropic/claude-sonnet-4-5',
    gemini: 'gemini/gemini-2.5-flash',
    cohere: 'cohere_chat/command-a-03-2025',
  }))
    t.equal(params[`svc-${provider}`]?.model, model, 'a name of the vendor')
  // The URLs that LiteLLM builds from `model` and `api_base`.
  const calls: Record<string, (model: string) => string> = {
    openai: () => '/chat/completions',
    azure: model => `/openai/deployments/${model}/chat/completions?api-version=2024-10-21`,
    anthropic: () => '/v1/messages',
    gemini: model => `/models/${model}:generateContent`,
    bedrock: model => `/model/${model}/converse`,
    ollama_chat: () => '/api/chat',
    cohere_chat: () => '',
  }
  for (const {
    model_name,
    litellm_params: { model, api_base },
  } of models) {
    const [dialect, ...rest] = String(model).split('/')
    const url = new URL(String(api_base) + calls[dialect!]!(rest.at(-1)!))
    const reply = await send(server.url, url.pathname + url.search, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer wrong' },
      body: '{}',
    })
    t.ok([400, 401, 403].includes(reply.status), `${model_name}: ${reply.status}`)
  }
})

t.test('mcp.json lists every server that is not hostile, and each URL works [EXPORT-13]', async t => {
  const { mcpServers: servers } = (await get('/export/mcp.json')).json<McpJson>()
  t.strictSame(Object.keys(servers).sort(), [
    'svc',
    'svc-apikey',
    'svc-apps',
    'svc-conformance',
    'svc-crm',
    'svc-devtools',
    'svc-enterprise',
    'svc-protected',
    'svc-skills',
    'svc-support',
    'svc-tasks',
    'svc-vault',
    'svc-weather',
  ])
  t.strictSame(servers.svc, { type: 'http', url: `${server.url}/mcp` })
  t.strictSame(servers['svc-vault']?.headers, { 'X-API-Key': '<api_key>' })
  t.strictSame(servers['svc-apikey']?.headers, { 'X-API-Key': 'demo' })
  for (const [name, { url, headers }] of Object.entries(servers)) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    })
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body,
    })
    t.equal(reply.status, ['svc-protected', 'svc-enterprise', 'svc-vault'].includes(name) ? 401 : 200, name)
  }
})

t.test('prometheus.yml scrapes the metrics; the credential is in a comment [EXPORT-14]', async t => {
  const { text } = await get('/export/prometheus.yml')
  const { host } = new URL(server.url)
  t.strictSame(parse(text), {
    scrape_configs: [
      { job_name: 'svc', scheme: 'http', metrics_path: '/_svc/metrics', static_configs: [{ targets: [host] }] },
    ],
  })
  const uncommented = parse(text.replace(/^( *)# ?/gm, '$1'))
  t.strictSame(uncommented.scrape_configs[0].authorization, { type: 'Bearer', credentials: '<admin token>' })
  const below = parse((await get('/export/prometheus.yml?base_url=https://gw.example/demo')).text).scrape_configs[0]
  t.strictSame(
    [below.scheme, below.metrics_path, below.static_configs[0].targets],
    ['https', '/demo/_svc/metrics', ['gw.example:443']],
  )
})

t.test('openapi.yaml is the document of openapi.json [EXPORT-15]', async t => {
  const yaml = await get('/openapi.yaml')
  t.equal(yaml.headers['content-type'], 'application/yaml')
  t.strictSame(parse(yaml.text), (await get('/openapi.json')).json())
  t.strictSame(parse(yaml.text, { version: '1.1' }), (await get('/openapi.json')).json(), 'also for YAML 1.1 parsers')
  t.equal(
    (await send(server.url, '/openapi.yaml', { method: 'HEAD' })).headers['content-length'],
    String(yaml.body.length),
  )
})

t.test('formats of disabled plugins are not listed [EXPORT-3]', async t => {
  const bare = await serve(t, { yaml: 'plugins: { disable: [mcp, llm] }\n' })
  const { count, formats } = (await (await fetch(`${bare.url}/export`)).json()) as Index
  t.equal(count, ALL.length - 2)
  t.strictSame(
    formats.map(({ path }) => path.replace('/export/', '')),
    ALL.map(([file]) => file).filter(file => !['mcp.json', 'litellm.yaml'].includes(file)),
  )
  for (const file of ['mcp.json', 'litellm.yaml']) t.equal((await fetch(`${bare.url}/export/${file}`)).status, 404)
  t.notMatch(await (await fetch(`${bare.url}/export/kong.yaml`)).text(), /svc-(mcp|llm)/)
  t.notMatch(await (await fetch(`${bare.url}/export/prometheus.yml`)).text(), /authorization/)
})
