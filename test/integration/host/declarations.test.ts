/** Declarations in the definitions of third-party plugins, and errors in them. Takes long: each mistake builds a generation. */
import t from 'tap'
import { join } from 'node:path'
import type { PluginRecord } from '../../../core/contract/plugin.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve, type TestServer } from '../../support/server.ts'

const EXAMPLE = join(import.meta.dirname, '..', '..', '..', 'examples', 'plugins', 'parcels')

interface ConfigView {
  parcels?: unknown
  warnings: string[]
  [field: string]: unknown
}

async function configOf(server: TestServer): Promise<ConfigView> {
  return (await (await fetch(`${server.url}/_svc/config`)).json()) as ConfigView
}

function recordOf(server: TestServer, name: string): PluginRecord | undefined {
  return server.plugins().find(plugin => plugin.name === name)
}

/** A definition in JavaScript with additional members. */
function definition(members: string, body = ''): string {
  return `const text = { expected: 'text', parse: value => ({ value }) }
export default { title: 'x', paths: ['/x'], ${members}, register(app, svc) { ${body} } }`
}

t.test('declarations of a third-party plugin work together with all built-in plugins [HOST-9, HOST-10]', async t => {
  const server = await serve(t, {
    oneProcess: 'it reads the log and the metrics of the process',
    folders: [EXAMPLE],
    env: {
      SVC_PARCELS_DEPOTS: 'east',
      SVC_PARCELS_LASTID: '7',
      SVC_BODY_LIMIT: 'x',
      SVC_MCP_CLOCK_TICK_SECS: 'y',
      SVC_PARCELS_LAST_ID: 'z',
    },
  })
  const view = await configOf(server)
  t.strictSame(view.parcels, { depots: ['east'], last_id: 100, token_configured: false })
  t.strictSame(Object.keys(view).slice(-7), ['ai', 'mcp', 'a2a', 'parcels', 'max_delay_ms', 'generation', 'warnings'])
  const warnings = [
    'invalid SVC_BODY_LIMIT "x" (expected bytes, 1 to 1073741824), using 1048576',
    'invalid SVC_MCP_CLOCK_TICK_SECS "y" (expected seconds, 1 to 3600), using 5',
    'invalid SVC_PARCELS_LAST_ID "z" (expected whole number, 1 to 1000000), using 100',
    'unknown variable SVC_PARCELS_LASTID (closest match: SVC_PARCELS_LAST_ID)',
  ]
  t.strictSame(view.warnings, warnings)
  for (const warning of warnings)
    t.equal(server.lines.filter(line => line.includes(warning.slice(0, 30))).length, 1, `${warning} is logged once`)
  await server.host.reload({ force: true })
  t.equal(server.lines.filter(line => line.includes('SVC_PARCELS_LASTID')).length, 1, 'not again with a reload')

  const { categories } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as {
    categories: { name: string }[]
  }
  t.strictSame(
    categories.slice(0, 3).map(({ name }) => name),
    ['Echo & Reflection', 'Parcels', 'Status Codes'],
  )
  const links = [...(await (await fetch(server.url)).text()).matchAll(/<li><a href="(?!#)([^"]+)">/g)].map(
    ([, href]) => href,
  )
  t.strictSame(links, ['ui/', 'parcels/alive', 'docs', 'openapi.json', '_svc/catalog'])

  t.equal(
    (await fetch(`${server.url}/parcels/1`, { headers: { 'X-Svc-Fail': 'lost' } })).headers.get('x-svc-fault'),
    'lost',
  )
  const exposedBy = async (path: string): Promise<string[]> =>
    (await fetch(server.url + path, { headers: { Origin: 'http://a' } })).headers
      .get('access-control-expose-headers')!
      .split(', ')
  const exposed = await exposedBy('/parcels/alive')
  t.strictSame(
    exposed.slice(0, 6),
    ['X-Request-Id', 'X-Svc-Fault', 'Content-Length', 'Mcp-Session-Id', 'MCP-Protocol-Version', 'WWW-Authenticate'],
    'the six of the specification, in its order',
  )
  t.ok(exposed.includes('X-Parcel-Depot'))
  t.notOk((await exposedBy('/echo')).includes('X-Parcel-Depot'), 'only of the plugin that answers')
  const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.match(metrics, /svc_protocol_requests_total\{protocol="parcels"\} 2\n/)
  t.match(metrics, /svc_faults_injected_total\{kind="lost"\} 1\n/)
})

t.test('declarations of a disabled plugin apply, except exposed headers and links [HOST-9, HOST-10]', async t => {
  const server = await serve(t, {
    yaml: JSON.stringify({ plugins: { dirs: [EXAMPLE], disable: ['parcels', 'mcp', 'console'] } }),
    env: { SVC_PARCELS_LAST_ID: 'z', SVC_LIMIT_REQUESTS: '50' },
  })
  const view = await configOf(server)
  t.match(view, { parcels: { last_id: 100 }, mcp: { clock_tick_secs: 5 }, warnings: [/^invalid SVC_PARCELS_LAST_ID/] })
  t.match(await (await fetch(`${server.url}/_svc/metrics`)).text(), /protocol="parcels"\} 0\n/)
  t.match(await (await fetch(`${server.url}/_svc/status`)).json(), { console: { title: null, backlink: null } })
  for (const path of ['/parcels/alive', '/ui/x']) {
    const response = await fetch(server.url + path, { headers: { 'X-Svc-Fail': '503', Origin: 'http://a' } })
    t.strictSame([response.status, response.headers.get('x-svc-plan')], [404, null], path)
    t.match(
      response.headers.get('access-control-expose-headers'),
      /^X-Request-Id, X-Svc-Fault, Content-Length, Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, /,
    )
    t.notMatch(response.headers.get('access-control-expose-headers'), /X-Parcel-Depot|X-Svc-Mcp-Server/)
  }
  t.notMatch(await (await fetch(server.url)).text(), /href="(?:ui|parcels)\//)
})

t.test('a duplicate name or field fails only the later plugin [HOST-11]', async t => {
  const variable = (name: string, shownAs = 'x.value') =>
    definition(
      `variables: { a: { name: '${name}', parser: text, default: null, description: 'A.', shownAs: '${shownAs}' } }`,
    )
  const { folder } = pluginFolder(t, {
    'a-core-name': variable('SVC_HTTP_PORT'),
    'a-core-field': variable('SVC_A_FIELD', 'warnings'),
    'a-field-below': variable('SVC_B_FIELD', 'host.name'),
    'a-group': variable('SVC_C_FIELD', 'limits.extra'),
    'a-builtin-name': variable('SVC_MCP_API_KEY'),
    first: variable('SVC_SAME', 'same.one'),
    second: variable('SVC_SAME', 'same.two'),
  })
  const server = await serve(t, { folders: [folder], env: { SVC_SAME: 'value' } })
  const failed = Object.fromEntries(
    server
      .plugins()
      .filter(({ state }) => state === 'failed')
      .map(({ name, error }) => [name, error?.message]),
  )
  t.strictSame(failed, {
    'a-core-name': 'the variable SVC_HTTP_PORT is already declared by the core',
    'a-core-field': 'the configuration field warnings is already declared by the core',
    'a-field-below': 'the configuration field host.name is already declared by the core',
    'a-group': 'the configuration field limits.extra is already declared by the core',
    'a-builtin-name': 'the variable SVC_MCP_API_KEY is already declared by the plugin mcp',
    second: 'the variable SVC_SAME is already declared by the plugin first',
  })
  t.match(await configOf(server), { same: { one: 'value' }, host: '127.0.0.1', warnings: [] })
})

t.test('malformed declarations are reported [HOST-11]', async t => {
  const rows: [members: string, message: RegExp][] = [
    ['variables: []', /variables must be an object/],
    [
      "variables: { a: { name: 'lower', parser: text, default: 1, description: 'A.' } }",
      /name of the variable a must consist/,
    ],
    ["variables: { a: { name: 'SVC_A', default: 1, description: 'A.' } }", /the variable SVC_A has no parser/],
    ["variables: { a: { name: 'SVC_A', parser: text, description: 'A.' } }", /the variable SVC_A has no default/],
    ["variables: { a: { name: 'SVC_A', parser: text, default: 1 } }", /the variable SVC_A has no description/],
    [
      "variables: { a: { name: 'SVC_A', parser: text, default: 1, description: 'A.', shownAs: '__proto__.x' } }",
      /shownAs of the variable SVC_A/,
    ],
    [
      "variables: { a: { name: 'SVC_A', parser: text, default: null, description: 'A.', shownAs: 'x', secret: true } }",
      /SVC_A is secret/,
    ],
    ["exempt: [{ path: '/y', from: ['faults'], reason: 'r' }]", /exempt must be a list/],
    ["exempt: [{ path: '/xy', from: ['faults'], reason: 'r' }]", /exempt must be a list/],
    ["exempt: [{ path: '/x', from: ['everything'], reason: 'r' }]", /exempt must be a list/],
    ["exempt: [{ path: '/x', from: ['faults'] }]", /exempt must be a list/],
    ["area: 'Upper case'", /area must be a name/],
    ["faults: { 'a b': { status: 400, message: 'x' } }", /faults must map words/],
    ["faults: { ab: { status: 200, message: 'x' } }", /faults must map words/],
    ['faults: { ab: { status: 400 } }', /faults must map words/],
    ["faults: { ab: { status: 400, message: 'x', headers: { 'Content-Length': '1' } } }", /faults must map words/],
    ["faults: [{ status: 400, message: 'x' }]", /faults must map words/],
    ["faultKinds: ['a b']", /faultKinds must be a list/],
    ["exposes: ['']", /exposes must be a list/],
    ["categories: [{ name: 'X' }]", /categories must be a list/],
    ["links: [{ href: 'javascript:alert(1)', text: 'X' }]", /links must be a list/],
    ["links: [{ href: '/x', text: 'X' }]", /links must be a list/],
  ]
  const { folder } = pluginFolder(
    t,
    Object.fromEntries(rows.map(([members], index) => [`w${index}`, definition(members)])),
  )
  const server = await serve(t, { folders: [folder] })
  for (const [index, [members, message]] of rows.entries())
    t.match(recordOf(server, `w${index}`), { state: 'failed', error: { phase: 'load', message } }, members)
  t.equal((await fetch(`${server.url}/echo`)).status, 200)
})

t.test('a definition that throws, and an undeclared area or fault kind, fail only the plugin [HOST-11]', async t => {
  const variables =
    "variables: { a: { name: 'SVC_A', parser: text, default: [], description: 'A.', shownAs: 'constructor.prototype' } }"
  const { folder } = pluginFolder(t, {
    throws: definition(
      `${variables.replace('constructor.prototype', 'x.a')}, resolveVariables() { throw new Error('no way') }`,
    ),
    harmless: definition(
      variables.replace('SVC_A', 'SVC_B'),
      "app.get('/x', { config: { descriptions: [{ summary: 's', category: 'C', examples: [] }] } }, (request, reply) => { svc.http.markFault(request, reply, 'made-up') })",
    ),
    area: `export default { title: 'y', paths: ['/y'], register(app) { app.get('/y', { config: { descriptions: [{ summary: 'Y', category: 'C', area: 'nobodys', examples: [] }] } }, () => 'y') } }`,
  })
  const server = await serve(t, { folders: [folder], env: { SVC_A: 'x' } })
  t.match(recordOf(server, 'throws'), { state: 'failed', error: { message: 'its variables cannot be read: no way' } })
  t.match(recordOf(server, 'area'), {
    state: 'failed',
    error: { message: 'the route "Y" uses the area "nobodys", which no plugin declares' },
  })
  t.match(recordOf(server, 'harmless'), { state: 'enabled' })
  t.equal((await fetch(`${server.url}/x`)).status, 500)
  t.notMatch(await (await fetch(`${server.url}/_svc/metrics`)).text(), /made-up/)
  t.notOk('prototype' in {}, 'no field of the view reaches what all objects inherit')
  t.match(await configOf(server), { constructor: { prototype: [] } })
})

t.test(
  'a changed definition is read again; an invalid one keeps the old version running [HOST-9, HOST-11, RELOAD-2]',
  async t => {
    const version = (name: string, kilo: number) =>
      definition(
        `variables: { size: { name: '${name}', parser: { expected: 'kilo', parse: value => ({ value: Number(value) * ${kilo} }) }, default: 1, description: 'Size.', shownAs: 'x.size' } }`,
        "app.get('/x', { config: { descriptions: [{ summary: 's', category: 'C', examples: [] }] } }, () => svc.variables)",
      )
    const plugins = pluginFolder(t, { x: version('SVC_X_SIZE', 1000) })
    const server = await serve(t, {
      folders: [plugins.folder],
      env: { SVC_X_SIZE: '2' },
      oneProcess: 'it reloads one process',
    })
    const size = async () => ((await (await fetch(`${server.url}/x`)).json()) as { size: number }).size
    t.equal(await size(), 2000)
    plugins.write('x', version('SVC_X_SIZE', 1024))
    await server.host.reload()
    t.equal(await size(), 2048)
    t.match(await configOf(server), { x: { size: 2048 }, warnings: [] })
    plugins.write('x', version('SVC_HTTP_PORT', 1))
    await server.host.reload()
    t.match(recordOf(server, 'x'), {
      state: 'enabled',
      stale: true,
      error: { message: /SVC_HTTP_PORT is already declared by the core/ },
    })
    t.equal(await size(), 2048)
    t.match(await configOf(server), { x: { size: 2048 } })
    plugins.write('x', version('SVC_X_KILOS', 1))
    await server.host.reload()
    t.equal(await size(), 1)
    t.strictSame((await configOf(server)).warnings, ['unknown variable SVC_X_SIZE (closest match: SVC_X_KILOS)'])
  },
)
