/**
 * `svc import` of Postman, HAR, go-vcr, OpenAPI, aimock and llm-d-inference-sim (sheet distribution, 5.3 and 5.4).
 * Takes long: documents of six tools are imported and served.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { IMPORT_FIXTURES, importInto, send, serveImported } from '../../support/imports/imported.ts'

const kind = (name: string): string => join(IMPORT_FIXTURES, name)
const KEY = { Authorization: 'Bearer sk-a', 'Content-Type': 'application/json' }

t.test('examples of Postman answer, also by code and name', async t => {
  const imported = await importInto(t, [kind('postman'), '--closed'])
  t.equal(imported.output, 'postman: 4 of 5 imported, 1 lost, 1 skipped\n')
  t.same(
    imported.report().findings.map(({ severity, at, line }) => [severity, at, line > 1]),
    [
      ['skipped', 'item[1]', true],
      ['lost', '', false],
    ],
  )
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
  const get = (path: string, headers: Record<string, string> = {}): ReturnType<typeof send> =>
    send(server.url, { path, headers })
  t.match(await get('/v1/orders/7?expand=items'), {
    status: 200,
    body: '{"id": 7}',
    headers: { 'content-type': 'application/json', 'x-two': 'a, b' },
  })
  t.match(await get('/v1/orders/7'), { status: 404, body: /No imported rule/ }, 'a parameter is missing')
  t.match(await get('/v1/orders/7?expand=items', { 'X-Mock-Response-Code': '404' }), {
    status: 404,
    body: 'no such order',
  })
  t.match(await get('/v1/orders/7?expand=items', { 'X-Mock-Response-Name': 'Missing' }), {
    status: 404,
    body: 'no such order',
  })
  t.match(await send(server.url, { method: 'POST', path: '/v1/orders' }), { status: 201, body: '{{not.a.template}}' })
  t.match(await get('/raw/path?q=1'), { status: 200, body: 'raw' })
})

for (const [name, output] of [
  ['har', 'har: 4 of 6 imported, 2 skipped\n'],
  ['go-vcr', 'go-vcr: 4 of 5 imported, 1 skipped\n'],
] as const)
  t.test(`${name}: exchanges are replayed, without secrets`, async t => {
    const imported = await importInto(t, [kind(name)])
    t.equal(imported.output, output)
    const files = readdirSync(join(imported.folder, 'recordings', 'api-example-com-8443'))
    t.equal(files.length, 2)
    for (const file of files) t.notMatch(imported.read(`recordings/api-example-com-8443/${file}`), /very-secret/)
    const server = await serveImported(t, imported.folder)
    t.same(server.host.loadErrors, [])
    const ask = (path: string): ReturnType<typeof send> => send(server.url, { path: `/proxy/${path}` })
    t.match(await ask('api-example-com-8443/v1/items?page=2'), {
      status: 200,
      body: '{"page":2,"first":true}',
      headers: { 'x-svc-proxy': 'replay' },
    })
    t.match(await ask('api-example-com-8443/v1/items?page=2'), { status: 200, body: '{"page":2,"second":true}' })
    t.match(
      await send(server.url, {
        method: 'POST',
        path: '/proxy/api-example-com-8443/v1/items',
        headers: { 'Content-Type': 'application/json' },
        body: '{"a": 1}',
      }),
      { status: 201, body: 'created' },
    )
    t.match(await ask('other-example-com/'), { status: 200, body: 'other' })
    t.match(await ask('other-example-com/none'), { status: 404, body: /no_recording/ })
  })

t.test('documents become mocks; a wrong one is skipped with its place', async t => {
  const imported = await importInto(t, [kind('openapi')])
  t.equal(imported.output, 'openapi: 2 of 3 imported, 1 skipped\n')
  t.match(imported.report().findings, [{ file: 'broken.yaml', severity: 'skipped', line: /^[2-9]$/ }])
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
  t.match(await send(server.url, { path: '/mock/shop/orders/1' }), { status: 200, body: '{"id":1,"state":"open"}' })
  t.match(await send(server.url, { path: '/mock/older/pets' }), { status: 200 })
})

t.test('fixtures of aimock answer on the routes of models', async t => {
  const imported = await importInto(t, [kind('aimock')])
  t.equal(imported.output, 'aimock: 2 of 3 imported, 1 lost, 1 skipped\n')
  t.same(
    imported.report().findings.map(({ severity, at, line }) => [severity, at, line]),
    [
      ['lost', 'fixtures[0].chunkSize', 6],
      ['skipped', 'fixtures[2].match.endpoint', 13],
    ],
  )
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
  const chat = async (text: string): Promise<string> =>
    (await send(server.url, {
      method: 'POST',
      path: '/ai/openai/v1/chat/completions',
      headers: KEY,
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: text }] }),
    }))!.body
  t.match(JSON.parse(await chat('say hello please')), { choices: [{ message: { content: 'Hello from a fixture.' } }] })
  t.match(JSON.parse(await chat('fail now')), { error: { message: 'Slow down' } })
})

t.test('simulators of llm-d become providers', async t => {
  const imported = await importInto(t, [kind('llm-d-sim')])
  t.match(imported.output, /^llm-d-sim: 3 of 3 imported, 4 changed, 3 lost\n$/)
  t.same(
    imported.report().findings.map(({ severity, file, at }) => [severity, file, at]),
    [
      ['changed', 'config.yaml', 'fake-metrics'],
      ['lost', 'config.yaml', 'port'],
      ['lost', 'config.yaml', 'kvcache.zmq-endpoint'],
      ['changed', 'deployment.yaml', 'spec.template.spec.containers[0].args[4]'],
      ['lost', 'deployment.yaml', 'spec.template.spec.containers[0].args[2]'],
      ['changed', 'failing.yaml', 'mode'],
      ['changed', 'failing.yaml', 'failure-types'],
    ],
  )
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
  t.match(JSON.parse((await send(server.url, { path: '/ai/sim/v1/models', headers: KEY }))!.body), {
    data: [{ id: 'food-review' }, { id: 'second' }, { id: 'legal' }],
  })
  const metrics = (await send(server.url, { path: '/ai/sim/metrics' }))!.body
  t.match(metrics, /vllm:num_requests_waiting\{[^}]*\} 30/)
  const echo = await send(server.url, {
    method: 'POST',
    path: '/ai/sim-2/v1/chat/completions',
    headers: KEY,
    body: JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'echo this' }] }),
  })
  t.match(JSON.parse(echo!.body), { choices: [{ message: { content: /echo this/ } }] })
  t.match(imported.read('svc.yaml'), /fail: rate_limit:25/)
  // As in tests of the simulator (llm-d/llm-d-inference-sim eec055a3, pkg/tests): adapters, other models, a prompt that is too long.
  const answer = async (path: string, body: object): Promise<{ status: number; body: string }> =>
    (await send(server.url, { method: 'POST', path, headers: KEY, body: JSON.stringify(body) }))!
  const messages = [{ role: 'user', content: 'This is a test.' }]
  t.match(await answer('/ai/sim/v1/completions', { model: 'legal', prompt: 'This is a test.' }), { status: 200 })
  t.match(await answer('/ai/sim/v1/chat/completions', { model: 'other', messages }), {
    status: 404,
    body: /The model 'other' does not exist/,
  })
  t.match(await answer('/ai/sim/v1/chat/completions', { model: 'second', messages, max_tokens: 5000 }), {
    status: 400,
    body: /maximum context length is 4096 tokens/,
  })
  const tokens = await answer('/ai/sim/tokenize', { model: 'second', prompt: 'This is a test' })
  t.match(JSON.parse(tokens.body), { count: 4, max_model_len: 4096 })
  t.notMatch(metrics, /model_name="legal"/)
  t.match(
    imported.read('svc.yaml'),
    /context_window: 4096[^]*slots: 3[^]*queue: 7[^]*load_factor: 2[^]*kv_tokens: 16384/,
  )
  t.match(imported.read('svc.yaml'), /sleep_mode: true[^]*startup_ms: 90000/)
  t.match(imported.read('svc.yaml'), /profile: "?ttft=normal\(20,5\); gap=constant\(1\); prefill=0\.5; seed=7/)
})

t.test('the command line, bounds, and the output', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-import-cli-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const wrong = async (args: string[], errors: RegExp): Promise<void> =>
    void t.match(await importInto(t, args), { code: 2, errors }, args.join(' '))
  await wrong([], /expected a file or folder/)
  await wrong([join(folder, 'none.json')], /there is no file or folder/)
  await wrong([kind('wiremock'), '--from', 'wiremok'], /did you mean "wiremock"/)
  await wrong([kind('wiremock'), '--from', 'mockoon'], /nothing that can be imported/)
  await wrong([kind('wiremock'), '--force=1'], /takes no value/)
  await wrong([folder], /nothing that can be imported/)
  const many = Array.from({ length: 2001 }, (_, number) => ({ request: { urlPath: `/${number}` }, response: {} }))
  writeFileSync(join(folder, 'many.json'), JSON.stringify({ mappings: many }))
  const bounded = await importInto(t, [join(folder, 'many.json')])
  t.match(bounded.errors, /skipped: at most 2000 rules are written; 1 are left out/)
  writeFileSync(join(folder, 'deep.json'), `${'['.repeat(200)}${']'.repeat(200)}`)
  writeFileSync(join(folder, 'types.ts'), "import { http } from 'msw'")
  t.match(
    (await importInto(t, [join(folder, 'deep.json')])).errors,
    /deep\.json:1:1: skipped: nested more than 100 levels/,
  )
  t.match(
    (await importInto(t, [join(folder, 'types.ts')])).errors,
    /types\.ts:1:1: skipped: code is not imported \(msw\)/,
  )
  const json = await importInto(t, [kind('postman'), '--json', '--check'])
  t.match(JSON.parse(json.output), { version: 1, tool: /^svc \d/, counts: { postman: { found: 5 } } })
  t.throws(() => json.read('svc.yaml'), 'nothing is written')
  const first = await importInto(t, [kind('wiremock'), kind('mockserver'), kind('mockoon')])
  const second = await importInto(t, [kind('wiremock'), kind('mockserver'), kind('mockoon')])
  for (const name of [
    'svc.yaml',
    'import-report.json',
    'rules/expectations.yaml',
    'rules/environment.yaml',
    'rules/mappings-a-urls.yaml',
  ])
    t.equal(first.read(name), second.read(name), `${name} is the same again`)
  mkdirSync(join(folder, 'out'))
  writeFileSync(join(folder, 'out', 'own.txt'), '')
  const { svc } = await import('../../support/terminal.ts')
  const into = (...args: string[]): ReturnType<typeof svc> => svc(['import', kind('postman'), ...args], { folder })
  t.match(await into('--out', 'out'), { code: 2, errors: /has files.*--force/ })
  t.match(await into('--out', 'out', '--force'), { code: 0 })
  t.match(await into('--out', kind('')), { code: 2, errors: /is or contains the source/ })
})
