/** Secrets of svc.yaml are shown nowhere, and in public mode options only to the administrator. */
import { join } from 'node:path'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import t from 'tap'
import type { JsonSchema } from '../../../core/contract/plugin.ts'
import { maskOptions, maskUrls } from '../../../core/config/shown-options.ts'
import { send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'
import { svc } from '../../support/terminal.ts'

const SECRETS = /hush-[a-z]+/g
/** Values of every kind that can hold a secret. */
const YAML = `
proxy:
  - name: billing
    target: https://billing.example/v2
    set_headers: { Authorization: Bearer hush-proxy, X-Tenant: hush-tenant }
mcp:
  servers:
    - name: remote
      url: https://hush-user:hush-password@mcp.example/mcp?apiKey=hush-query
      headers: { Authorization: Bearer hush-remote, X-Any: hush-any }
    - name: program
      command: /bin/true
      args: [--token, hush-argument]
      env: { DB: hush-env, PIN: hush-pin }
    - name: keyed
      auth: apikey
      api_key: hush-mcp
llm:
  providers:
    - { name: acme, format: openai, api_key: hush-llm }
  limits:
    - { key: hush-limit, requests_per_minute: 5 }
identity:
  users:
    - { name: zoe, password: hush-zoe }
  clients:
    - { client_id: shop, client_secret: hush-shop }
  issuers:
    - name: other
      users: [{ name: eve, password: hush-eve }]
      clients: [{ client_id: till, client_secret: hush-till, redirect_uris: ['https://till.example/cb'] }]
nonsense: hush-section
mocks: hush-mocks
`
const PLUGINS = ['proxy', 'mcp', 'llm', 'llm-openai', 'identity', 'mocks', 'echo', 'control-mcp', 'exports']
const VIEWS = [
  '/_svc/plugins',
  '/_svc/config',
  '/_svc/status',
  '/_svc/catalog',
  '/_svc/proxy',
  '/_svc/identity',
  '/mcp/servers',
]

t.test('options of every plugin are shown without secrets [SECRET-5]', async t => {
  const server = await serve(t, { yaml: YAML, env: { SVC_LOG_LEVEL: 'debug' } })
  for (const name of ['proxy', 'mcp', 'llm', 'identity']) {
    const { json } = await send(server, `/_svc/plugins/${name}`)
    t.match(json, { state: 'enabled' }, name)
  }
  for (const path of [...VIEWS, ...PLUGINS.map(name => `/_svc/plugins/${name}`), '/openapi.json', '/export/mcp.json'])
    t.strictSame((await send(server, path)).text.match(SECRETS), null, path)
  const { json } = await send(server, '/_svc/plugins/mcp')
  t.match(json, {
    options: {
      servers: [
        { name: 'remote', url: 'https://***@mcp.example/mcp?***', headers: { Authorization: '***', 'X-Any': '***' } },
        { name: 'program', command: '/bin/true', args: ['***', '***'], env: { DB: '***', PIN: '***' } },
        { name: 'keyed', api_key: '***' },
      ],
    },
  })
  t.match((await send(server, '/_svc/plugins/proxy')).json, {
    options: [{ target: 'https://billing.example/v2', set_headers: { Authorization: '***', 'X-Tenant': '***' } }],
  })
  t.strictSame(server.lines.join('\n').match(SECRETS), null, 'the log')
  t.strictSame(JSON.stringify(await controlTool(server)).match(SECRETS), null, 'the tools of the control plane')
})

/** Everything that the control tools say about plugins. */
async function controlTool(server: { url: string }): Promise<unknown> {
  const call = (method: string, params: object) =>
    send(server, 'POST /_svc/mcp', {
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method, params },
    })
  const { text } = await call('tools/list', {})
  const names = [...text.matchAll(/"name":"([a-z_]*plugin[a-z_]*|[a-z_]*config[a-z_]*|[a-z_]*status[a-z_]*)"/g)].map(
    ([, name]) => name,
  )
  const replies = [text]
  for (const name of new Set(names)) replies.push((await call('tools/call', { name, arguments: {} })).text)
  return replies
}

t.test('in public mode only the administrator sees options [SECRET-6]', async t => {
  const yaml = YAML.replace(/proxy:[^]*mcp:/, 'mcp:')
  for (const adminToken of [undefined, 'admin-token-of-the-test']) {
    const server = await serve(t, {
      yaml,
      env: { SVC_PUBLIC_MODE: 'true', ...(adminToken === undefined ? {} : { SVC_ADMIN_TOKEN: adminToken }) },
    })
    for (const path of ['/_svc/plugins/mcp', '/_svc/plugins/identity']) {
      t.match((await send(server, path)).json, { options: {} })
      t.strictSame(
        (await send(server, path, { headers: { authorization: 'Bearer wrong' } })).json,
        (await send(server, path)).json,
      )
      t.strictSame(Object.keys((await send(server, path)).json as { options: object }).includes('options'), true)
      t.strictSame(((await send(server, path)).json as { options: object }).options, {})
    }
    const { json } = await send(server, '/_svc/plugins')
    for (const { name, options } of (json as { plugins: { name: string; options: object }[] }).plugins)
      t.strictSame(options, {}, name)
    if (adminToken === undefined) continue
    const shown = await send(server, '/_svc/plugins/mcp', { headers: { authorization: `Bearer ${adminToken}` } })
    t.match(shown.json, { options: { servers: [{ name: 'remote', headers: { Authorization: '***' } }, {}, {}] } })
    t.strictSame(shown.text.match(SECRETS), null)
  }
})

t.test('`svc check` and `svc plugins` print no secrets [SECRET-5]', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const wrong = `
mcp:
  servers:
    - { name: "hush wrong", url: 5, headers: [hush-list], env: hush-text, api_key: [hush-key] }
llm: { providers: [{ name: acme, format: [hush-list], api_key: 5 }] }
`
  for (const [index, yaml] of [YAML, wrong].entries()) {
    const file = join(folder, `${index}.yaml`)
    writeFileSync(file, yaml)
    for (const args of [['check'], ['check', '--json'], ['plugins', '--json']]) {
      const { output, errors } = await svc([...args, '--config', file])
      t.match(output, /./)
      t.strictSame((output + errors).match(/hush-(?!section|mocks)[a-z]+/g), null, `${args.join(' ')} of file ${index}`)
    }
  }
})

t.test('a schema declares what is secret, wherever it says so [SECRET-5]', async t => {
  const secret: JsonSchema = { type: 'string', 'x-svc-secret': true }
  const table: [schema: JsonSchema, options: unknown, shown: unknown][] = [
    [{ properties: { a: secret, b: {} } }, { a: 'x', b: 'y' }, { a: '***', b: 'y' }],
    [{ properties: { a: { writeOnly: true } } }, { a: 5 }, { a: '***' }],
    [{ items: { properties: { a: secret } } }, [{ a: 'x' }, { b: 'y' }], [{ a: '***' }, { b: 'y' }]],
    [{ prefixItems: [secret], items: {} }, ['x', 'y'], ['***', 'y']],
    [
      { additionalProperties: secret, properties: { b: {} } },
      { a: 'x', b: 'y' },
      { a: '***', b: 'y' },
    ],
    [{ patternProperties: { '^a': secret } }, { a: 'x' }, { a: '***' }],
    [{ properties: { a: { anyOf: [{ type: 'null' }, { oneOf: [{ allOf: [secret] }] }] } } }, { a: 'x' }, { a: '***' }],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    [{ if: {}, then: { properties: { a: secret } } }, { a: 'x' }, { a: '***' }],
    [{ $defs: { s: secret }, properties: { a: { $ref: '#/$defs/s' } } }, { a: 'x' }, { a: '***' }],
    [{ properties: { a: { $ref: '#' }, b: secret } }, { a: { a: { b: 'x' } } }, { a: { a: { b: '***' } } }],
    [
      { properties: { a: { $ref: 'https://other.example' }, b: { $ref: '#/none/at/all' } } },
      { a: 'x', b: 'y' },
      { a: 'x', b: 'y' },
    ],
    [{ properties: { api_key: { 'x-svc-secret': false } } }, { api_key: 'shown' }, { api_key: 'shown' }],
    [{ properties: { a: { 'x-svc-secret': true } } }, { a: { b: ['x', 1] } }, { a: { b: ['***', '***'] } }],
    [
      {},
      { headers: { A: 'x' }, set_headers: { A: 'x' }, env: { A: 'x' } },
      { headers: { A: '***' }, set_headers: { A: '***' }, env: { A: '***' } },
    ],
    [{}, { headers: ['X-Name'], url: 'http://u:p@h/x?a=b#c' }, { headers: ['X-Name'], url: 'http://***@h/x?***' }],
    [{}, JSON.parse('{"__proto__": "x", "constructor": "y"}'), JSON.parse('{"__proto__": "x", "constructor": "y"}')],
  ]
  for (const [schema, options, shown] of table)
    t.strictSame(maskOptions(options, schema), shown, JSON.stringify(schema))
  for (const [text, shown] of [
    ['postgres://user:pass@db:5432/x?sslmode=a', 'postgres://***@db:5432/x?***'],
    ['https://token@host', 'https://***@host'],
    ['https://host/a@b', 'https://host/a@b'],
    ['https://host#access_token=x', 'https://host#***'],
    ['see https://u:p@host/?sig=abc', 'see https://***@host/?sig=***'],
    ['plain', 'plain'],
  ] as const)
    t.equal(maskUrls(text), shown)
})

t.test(
  'archives have no secrets of clients, and curl commands have them unless they are asked not to [SECRET-7]',
  async t => {
    const server = await serve(t, { plugins: ['echo'] })
    const secret = 'hush-client-0123456789'
    await send(server, `POST /echo?access_token=${secret}&page=kept`, {
      session: 's',
      headers: { authorization: `Bearer ${secret}`, 'x-vault-token': secret, 'idempotency-key': 'kept-key' },
      body: { password: secret, max_tokens: 5, note: 'kept-note' },
    })
    await send(server, 'POST /echo', {
      session: 's',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=kept-grant&code=${secret}`,
    })
    const exported = async (query: string): Promise<string> =>
      (await send(server, `/_svc/requests/export?session=s&path_prefix=/echo&${query}`)).text
    for (const query of ['format=har', 'format=har&redact=true', 'format=curl&redact=true']) {
      const text = await exported(query)
      t.notMatch(text, /hush/, query)
      for (const kept of ['page=kept', 'kept-key', 'kept-note', 'kept-grant', 'max_tokens', 'REDACTED'])
        t.ok(text.includes(kept), `${query}: ${kept}`)
    }
    t.match(JSON.parse(await exported('format=har')).log.entries.length, 2)
    for (const query of ['format=curl', 'format=har&redact=false']) t.match(await exported(query), secret, query)
    t.match((await send(server, '/_svc/requests?session=s')).text, secret, 'the inspector shows what a gateway sent')
  },
)

t.test('records of model requests mask secrets in headers, query and body [SECRET-7]', async t => {
  const server = await serve(t, { plugins: ['llm', 'llm-openai'] })
  const secret = 'hush-model-0123456789'
  await send(server, `POST /ai/openai/v1/chat/completions?api_key=${secret}&Client-Secret=${secret}&page=kept`, {
    headers: { 'x-request-id': 'shown', 'x-vault-token': secret, 'x-auth-token': secret, 'x-tenant': 'kept-tenant' },
    body: {
      model: 'svc-gpt',
      max_tokens: 7,
      messages: [{ role: 'user', content: 'hi' }],
      tools: [
        { type: 'mcp', server_label: 's', authorization: secret, headers: { 'X-Api-Key': secret } },
        {
          type: 'function',
          function: { name: 'run', parameters: { type: 'object', properties: { code: { type: 'string' } } } },
        },
      ],
    },
  })
  const { text, json } = await send(server, '/ai/requests/shown')
  t.notMatch(text, /hush/)
  t.match(json, {
    query: 'api_key=****6789&Client-Secret=****6789&page=kept',
    headers: { 'x-vault-token': '****6789', 'x-auth-token': '****6789', 'x-tenant': 'kept-tenant' },
    body: {
      max_tokens: 7,
      tools: [{ authorization: '****' }, { function: { parameters: { properties: { code: { type: 'string' } } } } }],
    },
  })
})
