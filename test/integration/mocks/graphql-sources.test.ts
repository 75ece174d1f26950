/** GraphQL schemas from folders and `svc.yaml`. */
import t from 'tap'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'
import { mockServer } from './client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const schema = (field: string): string => `# a comment\n"""${field}"""\ntype Query { ${field}: Int! }\n`

function folder(t: { teardown(callback: () => unknown): unknown }, files: Record<string, string>): string {
  // In a subfolder, because watchers also watch the parent folder.
  const parent = mkdtempSync(join(tmpdir(), 'svc-schemas-'))
  const path = join(parent, 'schemas')
  mkdirSync(path)
  t.teardown(() => rmSync(parent, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content)
  return path
}

t.test('schemas of a folder, with the parts alongside, and what is wrong with others [MOCK-107]', async t => {
  const files = folder(t, {
    'Shop One.graphql': schema('shop'),
    'Shop One.mock.yaml': 'settings: { seed: s }\noverrides: { Query.shop: { value: 7 } }\n',
    'b.graphqls': schema('b'),
    'c.GQL': schema('c'),
    'off.gql': schema('off'),
    'off.mock.yaml': 'enabled: false\n',
    'broken.graphql': 'type Query {\n  a: Missing\n}\n',
    'operation.graphql': 'query { a }',
    'wrong.graphql': schema('wrong'),
    'wrong.mock.yaml': 'overrides: { "Query.": { value: 1 } }\n',
    '_hidden.graphql': schema('hidden'),
    'introspection.json': JSON.stringify({ data: { __schema: 1 } }),
  })
  const server = await mockServer(t, { env: { SVC_MOCKS_DIR: files, SVC_MOCKS_SAMPLE: 'false' } })
  const { json } = await server.call('/_svc/mocks')
  t.strictSame(
    (json['mocks'] as JsonObject[]).map(({ name, kind, source, enabled }) => [name, kind, source, enabled]),
    [
      ['b', 'graphql', 'directory', true],
      ['c', 'graphql', 'directory', true],
      ['off', 'graphql', 'directory', false],
      ['shop-one', 'graphql', 'directory', true],
    ],
  )
  const errors = json['load_errors'] as { file: string; message: string }[]
  t.strictSame(
    errors.map(({ file }) => file).sort(),
    ['broken.graphql', 'introspection.json', 'operation.graphql', 'wrong.graphql'].map(name => join(files, name)),
  )
  t.match(errors.find(({ file }) => file.endsWith('broken.graphql'))!.message, /Missing/)
  const ask = (mock: string, query: string) => server.call(`/mock/${mock}`, { method: 'POST', body: { query } })
  t.match(await ask('shop-one', '{ shop }'), { status: 200, json: { data: { shop: 7 } } })
  t.match(await ask('c', '{ c }'), { json: { data: { c: Number } } })
  t.match(await ask('off', '{ off }'), { status: 503 })
  t.match((await server.call('/mock/b/schema.graphql')).text, schema('b'))
  t.match(await server.call('/_svc/mocks/b', { method: 'PUT', body: { spec: schema('mine') } }), {
    status: 409,
    json: { error: 'managed' },
  })

  writeFileSync(join(files, 'b.graphqls'), schema('changed'))
  writeFileSync(join(files, 'c.GQL'), 'type Query {')
  writeFileSync(join(files, 'new.graphql'), schema('new'))
  rmSync(join(files, 'off.gql'))
  t.match(await server.call('/_svc/mocks/reload', { method: 'POST' }), {
    status: 200,
    json: { added: ['new'], updated: ['b'], removed: ['off'] },
  })
  t.match(await ask('b', '{ changed }'), { json: { data: { changed: Number } } })
  t.match(await ask('c', '{ c }'), { json: { data: { c: Number } } }, 'a broken file leaves what was served')
})

t.test('svc.yaml references or contains schemas [MOCK-107]', async t => {
  const files = folder(t, { 'shop.graphql': schema('shop'), 'bad.graphql': 'type Query { a: }' })
  const mocks = [
    { name: 'file', spec: join(files, 'shop.graphql'), settings: { list_size: 1 } },
    { name: 'inline', spec: schema('inline'), overrides: { 'Query.inline': { value: 3 } } },
    { name: 'bad', spec: join(files, 'bad.graphql') },
    { name: 'settings', spec: schema('a'), settings: { validation: 'off' } },
  ]
  const server = await mockServer(t, { yaml: stringify({ mocks }) })
  const ask = (mock: string, query: string) => server.call(`/mock/${mock}`, { method: 'POST', body: { query } })
  t.match(await ask('file', '{ shop }'), { json: { data: { shop: Number } } })
  t.match(await ask('inline', '{ inline }'), { json: { data: { inline: 3 } } })
  const { json } = await server.call('/_svc/mocks')
  t.match(
    (json['load_errors'] as JsonObject[]).map(({ at }) => at),
    ['mocks[2]', 'mocks[3]'],
  )
})
