import t from 'tap'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'
import { until } from '../../support/until.ts'
import { mockServer } from './client.ts'
import { answering, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

function folder(t: { teardown(callback: () => unknown): unknown }, files: Record<string, string>): string {
  // In a subfolder, because watchers also watch the parent folder.
  const parent = mkdtempSync(join(tmpdir(), 'svc-mocks-'))
  const path = join(parent, 'specs')
  mkdirSync(path)
  t.teardown(() => rmSync(parent, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content)
  return path
}
const spec = (answer: string): JsonObject =>
  documentOf({ '/x': { get: answering({ example: answer }, { operationId: 'getX' }) } })
const text = (answer: string): string => JSON.stringify(spec(answer))

t.test(
  'svc.yaml references or contains documents; an invalid entry is a load error, the others load [MOCK-10] [MOCK-3]',
  async t => {
    const files = folder(t, {
      'shop.json': text('file'),
      'broken.yaml': 'openapi: 3.1.0\npaths: {/x: {$ref: "./other"}}\n',
    })
    const mocks = [
      {
        name: 'shop',
        spec: join(files, 'shop.json'),
        settings: { seed: 's' },
        overrides: { getX: { headers: { 'X-Over': '1' } } },
        rules: [{ id: 'r', operation: 'getX', ...(JSON.parse('{"then":{"headers":{"X-Rule":"1"}}}') as object) }],
      },
      { name: 'inline', spec: spec('inline') },
      { name: 'off', spec: spec('off'), enabled: false },
      { name: 'Wrong Name', spec: spec('a') },
      { name: 'missing', spec: './missing.yaml' },
      { name: 'remote', spec: 'https://example.com/openapi.yaml' },
      { name: 'broken', spec: join(files, 'broken.yaml') },
      { name: 'inline', spec: spec('twice') },
      { name: 'settings', spec: spec('a'), settings: { speed: 1 } },
      { name: 'extra', spec: spec('a'), port: 1 },
      'text',
      { name: 'petstore', spec: spec('mine') },
    ]
    const server = await mockServer(t, { yaml: stringify({ mocks }) })
    t.match(await server.call('/mock/shop/x'), {
      status: 200,
      text: '"file"',
      headers: { 'x-over': '1', 'x-rule': '1' },
    })
    t.match(await server.call('/mock/inline/x'), { text: '"inline"' })
    t.equal((await server.call('/mock/off/x')).status, 503)
    t.match(
      await server.call('/mock/petstore/x'),
      { text: '"mine"' },
      'the file takes precedence over the built-in mock',
    )
    const { json } = await server.call('/_svc/mocks')
    t.same(
      (json['mocks'] as JsonObject[]).map(mock => `${mock['name']} ${mock['source']}`),
      ['inline file', 'off file', 'petstore file', 'shop file'],
    )
    t.match(json, { config_file: join(server.folder, 'svc.yaml') })
    const errors = json['load_errors'] as JsonObject[]
    t.same(
      errors.map(({ at }) => at),
      [
        'mocks[3].name',
        'mocks[4].spec',
        'mocks[5].spec',
        'mocks[7]',
        'mocks[9].port',
        'mocks[10]',
        'mocks[6]',
        'mocks[8]',
      ],
    )
    t.ok(
      errors.every(({ file, line }) => file === join(server.folder, 'svc.yaml') && Number(line) > 0),
      'each with file and line',
    )
  },
)

t.test('every file of a folder is served under its name [MOCK-11] [MOCK-3]', async t => {
  const files = folder(t, {
    'My Shop_v2.yaml': stringify(spec('shop')),
    'My Shop_v2.mock.yaml':
      'settings: { validation: enforce }\noverrides: { getX: { headers: { X-Companion: "1" } } }\n',
    'other.json': text('other'),
    'other.mock.yaml': 'enabled: false\n',
    'both.yml': stringify(spec('directory')),
    'broken.json': '{"openapi":',
    'strange.json': text('a'),
    'strange.mock.yaml': 'speed: 1\n',
    '_hidden.yaml': stringify(spec('a')),
    '.hidden.yaml': stringify(spec('a')),
    'notes.txt': 'x',
    '!!!.json': text('a'),
  })
  mkdirSync(join(files, 'sub.yaml'))
  const server = await mockServer(t, {
    env: { SVC_MOCKS_DIR: files, SVC_MOCKS_SAMPLE: 'false' },
    yaml: stringify({ mocks: [{ name: 'both', spec: spec('file') }] }),
  })
  const { json } = await server.call('/_svc/mocks')
  t.same(
    (json['mocks'] as JsonObject[]).map(mock => `${mock['name']} ${mock['source']} ${mock['enabled']}`),
    ['both file true', 'my-shop-v2 directory true', 'other directory false', 'strange directory true'],
  )
  t.equal(json['dir'], files)
  t.match(await server.call('/mock/my-shop-v2/x'), { text: '"shop"', headers: { 'x-companion': '1' } })
  t.match((await server.call('/_svc/mocks/my-shop-v2')).json, {
    validation: 'enforce',
    file: join(files, 'My Shop_v2.yaml'),
  })
  t.same(
    (json['load_errors'] as JsonObject[]).map(({ file }) => file).sort(),
    ['!!!.json', 'both.yml', 'broken.json', 'strange.mock.yaml'].map(name => join(files, name)),
  )
  t.match(await server.call('/mock/petstore/v1/pets'), { status: 404 }, 'the sample is disabled')
})

t.test('a missing folder is one load error [MOCK-11]', async t => {
  const server = await mockServer(t, { env: { SVC_MOCKS_DIR: '/nowhere/at/all' } })
  t.match((await server.call('/_svc/mocks')).json, { count: 1, load_errors: [{ file: '/nowhere/at/all', at: null }] })
})

t.test('a reload applies changes and keeps the rest [MOCK-27] [MOCK-5] [MOCK-4]', async t => {
  const files = folder(t, { 'a.json': text('a1'), 'b.json': text('b1'), 'c.json': text('c1') })
  const server = await mockServer(t, { env: { SVC_MOCKS_DIR: files } })
  await server.mock('uploaded', { spec: spec('up') })
  await server.call('/_svc/mocks/uploaded/overrides/getX', { method: 'PUT', body: { body: 'edited' } })
  await server.call('/_svc/mocks/a/overrides/getX', { method: 'PUT', body: { body: 'edited' } })
  await server.call('/_svc/mocks/b/overrides/getX', { method: 'PUT', body: { body: 'edited' } })
  await server.call('/mock/b/x')
  t.match(await server.call('/_svc/mocks/reload', { method: 'POST' }), {
    status: 200,
    json: {
      reloaded: true,
      added: [],
      updated: [],
      removed: [],
      unchanged: ['a', 'b', 'c', 'petstore', 'uploaded'],
      load_errors: [],
    },
  })
  writeFileSync(join(files, 'a.json'), text('a2'))
  writeFileSync(join(files, 'd.json'), text('d1'))
  rmSync(join(files, 'c.json'))
  t.match(await server.call('/_svc/mocks/reload', { method: 'POST' }), {
    status: 200,
    json: {
      reloaded: true,
      added: ['d'],
      updated: ['a'],
      removed: ['c'],
      unchanged: ['b', 'petstore'],
      load_errors: [],
      generation: 2,
    },
  })
  t.equal((await server.call('/mock/a/x')).text, '"a2"', "edits are gone with the file's change")
  t.match((await server.call('/_svc/mocks/a')).json, { version: 2, modified: false, overrides: {} })
  t.equal((await server.call('/mock/b/x')).text, '"edited"', 'an unchanged file has no effect')
  t.match((await server.call('/_svc/mocks/b/requests')).json, { count: 2 })
  t.equal((await server.call('/mock/uploaded/x')).text, '"edited"')
  t.equal((await server.call('/mock/c/x')).status, 404)
  writeFileSync(join(files, 'a.json'), '{"openapi"')
  t.match((await server.call('/_svc/mocks/reload', { method: 'POST' })).json, {
    reloaded: true,
    updated: [],
    load_errors: [{ file: join(files, 'a.json') }],
  })
  t.equal((await server.call('/mock/a/x')).text, '"a2"', 'with an invalid file the live version stays')
  writeFileSync(join(files, 'uploaded.json'), text('file'))
  t.match((await server.call('/_svc/mocks/reload', { method: 'POST' })).json, {
    load_errors: [
      { file: join(files, 'a.json') },
      { file: join(files, 'uploaded.json'), message: /already used by an uploaded mock/ },
    ],
  })
  t.equal((await server.call('/mock/uploaded/x')).text, '"edited"', 'an uploaded mock is kept')
})

t.test('an unreadable svc.yaml changes nothing [MOCK-27]', async t => {
  const server = await mockServer(t, { yaml: stringify({ mocks: [{ name: 'shop', spec: spec('1') }] }) })
  writeFileSync(join(server.folder, 'svc.yaml'), 'mocks: [\n')
  t.match(await server.call('/_svc/mocks/reload', { method: 'POST' }), {
    status: 422,
    json: { reloaded: false, load_errors: [{ at: null }] },
  })
  t.equal((await server.call('/mock/shop/x')).text, '"1"')
})

t.test('files are watched [MOCK-11]', async t => {
  const files = folder(t, { 'a.json': text('a1') })
  const listed = folder(t, { 'l.json': text('l1') })
  const server = await mockServer(t, {
    env: { SVC_MOCKS_DIR: files, SVC_WATCH: 'true' },
    yaml: stringify({ mocks: [{ name: 'listed', spec: join(listed, 'l.json') }] }),
  })
  writeFileSync(join(files, 'a.json'), text('a2'))
  await until(
    async () => (await server.call('/mock/a/x')).text === '"a2"',
    'the new response of the file in the folder',
  )
  writeFileSync(join(listed, 'l.json'), text('l2'))
  await until(async () => (await server.call('/mock/listed/x')).text === '"l2"', 'the new response of the listed file')
})
