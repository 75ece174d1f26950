/** Documents of other versions and of several files, and large ones. */
import t from 'tap'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse, stringify } from 'yaml'
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import { bundle } from '../../../plugins/mocks/sources/bundle.ts'
import { mockCommand } from '../../../plugins/mocks/sources/command.ts'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'
import { mockServer } from './client.ts'
import { answering, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const SWAGGER: JsonObject = {
  swagger: '2.0',
  info: { title: 'Pets', version: '1' },
  host: 'api.example.test',
  basePath: '/v2',
  consumes: ['application/json'],
  produces: ['application/json'],
  paths: {
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, type: 'integer' }],
      get: {
        operationId: 'getPet',
        security: [{ key: [] }],
        responses: {
          200: {
            description: 'ok',
            schema: { $ref: '#/definitions/Pet' },
            examples: { 'application/json': { id: 1 } },
          },
        },
      },
      put: {
        parameters: [{ $ref: '#/parameters/Pet' }],
        responses: { 204: { description: 'done' } },
      },
    },
    '/photos': {
      post: {
        consumes: ['multipart/form-data'],
        parameters: [
          { name: 'file', in: 'formData', type: 'file', required: true },
          { name: 'note', in: 'formData', type: 'string', maxLength: 3 },
        ],
        responses: { 200: { description: 'ok', schema: { type: 'string', 'x-nullable': true } } },
      },
    },
    '/tags': {
      get: {
        parameters: [
          { name: 'a', in: 'query', type: 'array', items: { type: 'integer' }, collectionFormat: 'pipes', maxItems: 2 },
        ],
        responses: { 200: { description: 'ok', schema: { type: 'array', items: { type: 'string' } } } },
      },
    },
  },
  parameters: { Pet: { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } } },
  definitions: { Pet: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } },
  securityDefinitions: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
}

t.test('Swagger 2.0 is converted [MOCK-100]', async t => {
  const server = await mockServer(t)
  const settings = { validation: 'enforce', security: 'enforce' }
  for (const body of [
    JSON.stringify({ spec: SWAGGER, settings }),
    JSON.stringify({ spec: stringify(SWAGGER), settings }),
  ]) {
    const reply = await server.call('/_svc/mocks/pets', { method: 'PUT', body })
    t.match(reply.json, {
      openapi: /^3\.0/,
      base_paths: ['/v2'],
      report: { deployable: true, warnings: [{ code: 'converted', at: '#/swagger' }] },
    })
    t.equal((reply.json['report'] as JsonObject)['changes'] === undefined, false)
  }
  const key = { 'x-key': 'k' }
  const json = { 'content-type': 'application/json' }
  t.match(await server.call('/mock/pets/v2/pets/7', { headers: key }), { status: 200, json: { id: 7 } })
  t.equal((await server.call('/mock/pets/v2/pets/7')).status, 401)
  t.equal((await server.call('/mock/pets/pets/x', { headers: key })).status, 422)
  t.equal((await server.call('/mock/pets/pets/1', { method: 'PUT', headers: json, body: { id: 1 } })).status, 204)
  t.equal((await server.call('/mock/pets/pets/1', { method: 'PUT', headers: json, body: {} })).status, 422)
  t.equal((await server.call('/mock/pets/tags?a=1|2')).status, 200)
  t.equal((await server.call('/mock/pets/tags?a=1|2|3')).status, 422)
  const form = (note: string) => ({
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${note}\r\n--b--\r\n`,
  })
  t.equal((await server.call('/mock/pets/photos', form('abc'))).status, 200)
  t.equal((await server.call('/mock/pets/photos', form('abcd'))).status, 422)
  t.same(parse((await server.call('/_svc/mocks/pets/spec')).text), SWAGGER, 'the document is kept as uploaded')
  t.match((await server.call('/_svc/mocks/pets/spec?format=json')).json, SWAGGER)
  t.match((await server.call('/mock/pets/openapi.json')).json, { openapi: /^3/, components: { schemas: { Pet: {} } } })
  t.match(
    (await server.call('/_svc/mocks/check?against=pets', { method: 'POST', body: JSON.stringify(SWAGGER) })).json,
    {
      changes: { breaking: [], compatible: [] },
    },
  )
})

t.test('OpenAPI 3.2 is served [MOCK-100]', async t => {
  const server = await mockServer(t)
  const spec: JsonObject = {
    openapi: '3.2.0',
    info: { title: 'Next', version: '1' },
    paths: {
      '/search': {
        query: {
          operationId: 'search',
          requestBody: { content: { 'application/json': { schema: { type: 'object', required: ['q'] } } } },
          ...answering({ example: { found: true } }),
        },
        additionalOperations: { COPY: { operationId: 'copy', ...answering({ example: { copied: true } }) } },
      },
      '/events': {
        get: {
          responses: {
            200: {
              description: 'ok',
              content: {
                'text/event-stream': {
                  itemSchema: {
                    type: 'object',
                    required: ['data'],
                    properties: {
                      data: {
                        type: 'string',
                        contentMediaType: 'application/json',
                        contentSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
      '/shared': {
        get: {
          responses: {
            200: { description: 'ok', content: { 'application/json': { $ref: '#/components/mediaTypes/A' } } },
          },
        },
      },
      '/text': {
        get: answering({ examples: { a: { serializedValue: '{"a": 1}' } } }),
      },
    },
    components: { mediaTypes: { A: { examples: { a: { dataValue: { shared: 1 } } } } } },
  }
  const { json } = await server.call('/_svc/mocks/next', { method: 'PUT', body: JSON.stringify(spec) })
  t.match(json, { openapi: '3.2.0', report: { deployable: true, errors: [], warnings: [] } })
  await server.call('/_svc/mocks/next/settings', { method: 'PATCH', body: { validation: 'enforce' } })
  t.match(await server.call('/mock/next/search', { method: 'QUERY', body: { q: 1 } }), {
    status: 200,
    json: { found: true },
    headers: { 'x-svc-mock-operation': 'search' },
  })
  t.equal((await server.call('/mock/next/search', { method: 'QUERY', body: {} })).status, 422)
  t.match((await server.call('/mock/next/search', { method: 'COPY' })).json, { copied: true })
  t.match(await server.call('/mock/next/search'), { status: 405, headers: { allow: 'QUERY, COPY' } })
  t.match((await server.call('/mock/next/events')).text, /^(?:data: \{"n":\d+\}\n\n){2}$/)
  t.same((await server.call('/mock/next/shared')).json, { shared: 1 })
  t.same((await server.call('/mock/next/text')).json, { a: 1 })
})

const FILES: Record<string, unknown> = {
  'api/root.yaml': documentOf(
    {
      '/a': { $ref: './paths/a.yaml' },
      '/b': { get: answering({ schema: { $ref: './schemas/b.yaml#/B' } }) },
      '/c': { get: answering({ schema: { $ref: '../common/Node.json' } }) },
      '/d': { get: answering({ examples: { file: { externalValue: './d.json' } } }) },
    },
    { components: { schemas: { Root: { type: 'string', example: 'from root' } } } },
  ),
  'api/paths/a.yaml': { get: answering({ schema: { $ref: '../schemas/b.yaml#/List' } }) },
  'api/schemas/b.yaml': {
    B: {
      type: 'object',
      properties: { id: { type: 'integer', example: 7 }, root: { $ref: '../root.yaml#/components/schemas/Root' } },
    },
    List: { type: 'array', minItems: 1, maxItems: 1, items: { $ref: '#/B' } },
  },
  'common/Node.json': { type: 'object', properties: { name: { type: 'string', example: 'n' }, next: { $ref: '#' } } },
  'api/d.json': { from: 'd' },
}

function write(folder: string, files: Record<string, unknown>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), name.endsWith('.json') ? JSON.stringify(content) : stringify(content))
  }
}

function folderOf(files: Record<string, unknown>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mock-files-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  write(folder, files)
  return folder
}

t.test('a document of svc.yaml can consist of several files [MOCK-100]', async t => {
  const folder = folderOf({
    ...FILES,
    'out/api/root.yaml': documentOf({ '/x': { $ref: '../../../outside.yaml' }, '/y': { $ref: './link.yaml' } }),
    'out/api/gone.yaml': documentOf({ '/x': { $ref: './gone.yaml/x.yaml' } }),
  })
  symlinkSync('/etc/hostname', join(folder, 'out', 'api', 'link.yaml'))
  const mocks = [
    { name: 'multi', spec: join(folder, 'api/root.yaml') },
    { name: 'out', spec: join(folder, 'out/api/root.yaml') },
    { name: 'gone', spec: join(folder, 'out/api/gone.yaml') },
  ]
  // References of `api` to `../common` need a folder above the document, which is that of svc.yaml.
  const server = await mockServer(t, { yaml: stringify({ mocks }) })
  const { json } = await server.call('/_svc/mocks')
  t.match(json['load_errors'], [
    { at: 'mocks[0]', message: /"\.\.\/common\/Node\.json" is not below the folder of the document/ },
    { at: 'mocks[1]', message: /external_ref: "\.\.\/\.\.\/\.\.\/outside\.yaml" (?:is not below|can't be read)/ },
    { at: 'mocks[1]', message: /"\.\/link\.yaml" is not below the folder of the document/ },
    { at: 'mocks[2]', message: /can't be read \(/ },
  ])
})

t.test('files of a document are watched, and can be above it in the folder of mocks [MOCK-100]', async t => {
  const folder = folderOf(FILES)
  const options = { folder, bounds: boundsFor(false), watch: (path: string) => void watched.add(path) }
  const watched = new Set<string>()
  const file = join(folder, 'api/root.yaml')
  const { text, problems } = await bundle(file, readFileSync(file, 'utf8'), options)
  t.strictSame(problems, [])
  t.strictSame([...watched].map(path => path.slice(folder.length + 1)).sort(), [
    'api/d.json',
    'api/paths/a.yaml',
    'api/schemas/b.yaml',
    'common/Node.json',
  ])
  const server = await mockServer(t)
  const reply = await server.call('/_svc/mocks/multi', { method: 'PUT', body: text })
  t.match(reply.json, { report: { errors: [], warnings: [] } })
  t.same((await server.call('/mock/multi/a')).json, [{ id: 7, root: 'from root' }])
  t.same((await server.call('/mock/multi/b')).json, { id: 7, root: 'from root' })
  t.match((await server.call('/mock/multi/c')).json, { name: 'n' })
  t.same((await server.call('/mock/multi/d')).json, { from: 'd' })
  t.match((await server.call('/_svc/mocks/check', { method: 'POST', body: readFileSync(file) })).json, {
    errors: [{ code: 'external_ref' }, { code: 'external_ref' }, { code: 'external_ref' }],
  })
})

t.test('the folder of mocks and the command read the files of a document [MOCK-100]', async t => {
  const { 'api/root.yaml': root, ...others } = FILES
  const folder = folderOf({
    ...others,
    'api/root.yaml': { ...(root as object), paths: { '/a': { $ref: './paths/a.yaml' } } },
  })
  const server = await mockServer(t, { env: { SVC_MOCKS_DIR: join(folder, 'api') } })
  t.same((await server.call('/mock/root/a')).json, [{ id: 7, root: 'from root' }])
  write(folder, { 'api/schemas/b.yaml': { List: { type: 'array', items: { type: 'integer' }, example: [1] } } })
  t.match((await server.call('/_svc/mocks/reload', { method: 'POST' })).json, { updated: ['root'] })
  t.same((await server.call('/mock/root/a')).json, [1])
  t.same(await mockCommand.run(['check', join(folder, 'api/root.yaml')]), { exitCode: 0 })
  t.same(await mockCommand.run(['push', 'pushed', join(folder, 'api/root.yaml'), '--url', server.url]), { exitCode: 0 })
  t.same((await server.call('/mock/pushed/a')).json, [1])
})

t.test('uploads have a limit of their own [MOCK-100] [MOCK-80]', async t => {
  const server = await mockServer(t, { env: { SVC_BODY_LIMIT: '65536' } })
  const large = (bytes: number): string =>
    JSON.stringify({ ...documentOf({ '/x': { get: answering({ example: 1 }) } }), 'x-pad': 'x'.repeat(bytes) })
  const put = (body: string | Buffer) => server.call('/_svc/mocks/large', { method: 'PUT', body })
  t.equal((await put(large(3 << 20))).status, 201)
  t.equal((await server.call('/mock/large/x', { method: 'POST', body: 'x'.repeat(70_000) })).status, 413)
  for (const size of [16 << 20, 18 << 20])
    t.match(await put(large(size)), {
      status: size === 16 << 20 ? 422 : 413,
      text: /a document can have at most 16777216 bytes, .*split it into several mocks/,
    })
})
