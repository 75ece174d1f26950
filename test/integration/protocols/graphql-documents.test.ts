/** Persisted documents: of a file, of the control plane, and as the only ones that run. */
import t from 'tap'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'graphql-ws'
import WebSocket from 'ws'
import { serve } from '../../support/server.ts'
import { clientOf } from './graphql-client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const NAME = 'query($id: ID!) { user(id: $id) { name } }'
const TICKS = 'subscription { ticker(count: 1) { sequence } }'
const RENAME = 'mutation($input: CreateUserInput!) { createUser(input: $input) { role } }'
const FILE_ONLY = '{ users(limit: 1) { id } }'
const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
const MANIFEST = {
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [
    { id: 'name', name: 'Name', type: 'query', body: NAME },
    { id: 'ticks', name: 'Ticks', type: 'subscription', body: TICKS },
    { id: 'rename', name: 'Rename', type: 'mutation', body: RENAME },
  ],
}
const NOT_FOUND = { status: 400, code: 'PERSISTED_DOCUMENT_NOT_FOUND', data: undefined }
const REQUIRED = { status: 400, code: 'PERSISTED_DOCUMENT_REQUIRED', data: undefined }

function file(t: { teardown(callback: () => unknown): unknown }, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-documents-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'documents.json'), content)
  return join(folder, 'documents.json')
}

const control = async (url: string, method: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}/_svc/graphql/documents`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, json: (text === '' ? null : JSON.parse(text)) as Record<string, unknown> | null }
}

t.test('documents run by id and digest, with POST and GET [GQL-67]', async t => {
  const { url } = await serve(t)
  const client = clientOf(url)
  t.match(await client.post({ documentId: 'name', variables: { id: 'u1' } }), NOT_FOUND)
  t.strictSame(await control(url, 'PUT', MANIFEST), { status: 200, json: { count: 3 } })
  for (const documentId of ['name', digest(NAME), digest(NAME).toUpperCase().replace('SHA256', 'sha256')]) {
    const variables = { id: 'u1' }
    t.match(await client.post({ documentId, variables }), { status: 200, data: { user: { name: 'Alice Chen' } } })
    t.match(await client.get({ documentId, variables: JSON.stringify(variables) }), {
      status: 200,
      data: { user: { name: 'Alice Chen' } },
    })
  }
  t.match(await client.get({ documentId: 'rename' }), { status: 405, code: 'METHOD_NOT_ALLOWED' })
  t.match(await client.post({ documentId: 'name' }), { code: 'BAD_USER_INPUT' }, 'variables are checked as usual')
  for (const documentId of ['', 'odd', '__proto__', 'constructor', digest('odd'), `sha256:${'g'.repeat(64)}`])
    t.match(await client.post({ documentId }), NOT_FOUND, documentId)
  t.match(await client.post({ documentId: 5 }), { status: 400, code: 'BAD_REQUEST' })
  t.match(await client.post({ documentId: 'odd', query: '{ user(id: "u2") { id } }' }), {
    data: { user: { id: 'u2' } },
  })

  const stream = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: '{"documentId":"ticks"}',
  })
  t.match(await stream.text(), /event: next\ndata: .*"sequence":0[^]*event: complete/)

  t.match(await control(url, 'GET'), {
    status: 200,
    json: {
      count: 3,
      mode: 'allow',
      documents: [{ id: 'name', sha256: digest(NAME).slice(7), source: 'api' }, {}, {}],
    },
  })
  t.strictSame(await control(url, 'PUT', { other: NAME }), { status: 200, json: { count: 1 } }, 'a flat list replaces')
  t.match(await client.post({ documentId: 'name', variables: { id: 'u1' } }), NOT_FOUND)
  t.match(await client.post({ documentId: 'other', variables: { id: 'u1' } }), { status: 200 })
  t.match(await control(url, 'DELETE'), { status: 204 })
  t.match(await client.post({ documentId: digest(NAME), variables: { id: 'u1' } }), NOT_FOUND)
})

t.test('rules and verification know a persisted document by its text [GQL-67] [MATCH-8]', async t => {
  const path = file(t, JSON.stringify({ listed: FILE_ONLY }))
  const { url } = await serve(t, { yaml: `graphql: { documents: { file: ${path} } }\n` })
  const client = clientOf(url)
  await control(url, 'PUT', MANIFEST)
  const extensions = { persistedQuery: { version: 1, sha256Hash: digest(FILE_ONLY).slice(7).toUpperCase() } }
  await client.post({ documentId: 'name', variables: { id: 'u1' } })
  await client.get({ documentId: digest(NAME), variables: '{"id":"u2"}' })
  await client.post({ documentId: 'listed' })
  await client.post({ documentId: 'unknown' })
  await client.post({ extensions })
  const count = async (graphql: object): Promise<number> => {
    const body = JSON.stringify({ match: { graphql }, exactly: 99, within_ms: 0 })
    const response = await fetch(`${url}/_svc/verify`, { method: 'POST', body })
    return ((await response.json()) as { count: number }).count
  }
  t.equal(await count({ field: 'user', kind: 'query' }), 2)
  t.equal(await count({ document: digest(NAME).slice(7) }), 2)
  t.equal(await count({ document: digest(NAME).slice(7), variables: { '/id': 'u2' } }), 1)
  t.equal(await count({ field: 'users' }), 1)
  t.equal(await count({ document: digest(FILE_ONLY).slice(7) }), 2, 'by its id, and by its hash')
  await fetch(`${url}/_svc/rules/named`, {
    method: 'PUT',
    body: JSON.stringify({ match: { graphql: { field: 'user' } }, then: { graphql: { data: 'null' } } }),
  })
  t.match(await client.post({ documentId: 'name', variables: { id: 'u1' } }), { data: null })
  t.match(await client.post({ documentId: 'listed' }), { data: { users: [{ id: 'u1' }] } })
})

t.test('lists that are wrong name the place, and change nothing [GQL-67]', async t => {
  const { url } = await serve(t)
  await control(url, 'PUT', { kept: NAME })
  const operation = MANIFEST.operations[0]
  const table: [body: unknown, at: string][] = [
    ['{', ''],
    [[], ''],
    [null, ''],
    [{ ...MANIFEST, format: 'other' }, 'format'],
    [{ ...MANIFEST, version: 2 }, 'version'],
    [{ ...MANIFEST, operations: [operation, 5] }, 'operations[1]'],
    [{ ...MANIFEST, operations: [{ id: 'a' }] }, 'operations[0].body'],
    [{ ...MANIFEST, operations: [{ body: NAME }] }, 'operations[0].id'],
    [{ ...MANIFEST, operations: [operation, operation] }, 'operations[1]'],
    [{ a: 5 }, '"a"'],
    [{ a: ' ' }, '"a"'],
    [{ '': NAME }, '""'],
    [{ ['x'.repeat(101)]: NAME }, JSON.stringify('x'.repeat(100))],
    [{ a: `#${'x'.repeat(64 * 1024)}` }, '"a"'],
    [Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`d${index}`, NAME])), ''],
    [Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`d${index}`, `#${'x'.repeat(60_000)}`])), ''],
  ]
  for (const [body, at] of table)
    t.match(
      await control(url, 'PUT', body),
      { status: 400, json: { error: 'invalid_documents', at, message: String } },
      JSON.stringify(body).slice(0, 100),
    )
  t.match(await control(url, 'GET'), { json: { count: 1, documents: [{ id: 'kept' }] } })
  const many = Object.fromEntries(
    Array.from({ length: 1000 }, (_, n) => [`${n}-${'i'.repeat(95)}`, `{ user${n}: __typename }`]),
  )
  t.match(await control(url, 'PUT', many), { status: 200, json: { count: 1000 } })
  t.match(await clientOf(url).post({ documentId: `999-${'i'.repeat(95)}` }), { data: { user999: String } })
})

t.test('documents of a file, and mode off [GQL-67]', async t => {
  const path = file(t, JSON.stringify({ listed: FILE_ONLY, name: FILE_ONLY }))
  const { url } = await serve(t, { yaml: `graphql: { documents: { file: ${path} } }\n` })
  const client = clientOf(url)
  t.match(await client.post({ documentId: 'listed' }), { data: { users: [{ id: 'u1' }] } })
  await control(url, 'PUT', MANIFEST)
  t.match(
    await client.post({ documentId: 'name', variables: { id: 'u1' } }),
    { data: { user: {} } },
    'a PUT comes first',
  )
  await control(url, 'DELETE')
  t.match(await client.post({ documentId: 'name' }), { data: { users: [{}] } }, 'those of the file stay')
  t.match(await client.post({ documentId: digest(FILE_ONLY) }), { data: { users: [{}] } })

  const off = await serve(t, { yaml: `graphql: { documents: { file: ${path}, mode: off } }\n` })
  t.match(await clientOf(off.url).post({ documentId: 'listed' }), NOT_FOUND)
  t.match(await clientOf(off.url).post({ query: FILE_ONLY }), { status: 200 })

  for (const content of ['{', '{"a":5}']) {
    const broken = await serve(t, { yaml: `graphql: { documents: { file: ${file(t, content)} } }\n` })
    t.match(broken.problems(), [{ at: 'graphql.documents.file' }], content)
    t.match(await clientOf(broken.url).post({ query: FILE_ONLY }), { status: 200 })
  }
})

t.test('mode only: nothing else runs, on any transport [GQL-68]', async t => {
  const path = file(t, JSON.stringify(MANIFEST))
  const { url } = await serve(t, {
    yaml: `graphql: { batching: true, documents: { file: ${path}, mode: only } }\n`,
  })
  const client = clientOf(url)
  t.match(await client.post({ documentId: 'name', variables: { id: 'u1' } }), { status: 200, data: { user: {} } })
  t.match(await client.post({ query: NAME, variables: { id: 'u1' } }), { status: 200 }, 'its text is the same document')
  t.match(await client.post({ query: FILE_ONLY }), REQUIRED)
  t.match(await client.get({ query: FILE_ONLY }), REQUIRED)
  t.match(await client.post({ query: '{ __schema { queryType { name } } }' }), REQUIRED)
  // Automatic persisted queries do not circumvent it.
  const extensions = { persistedQuery: { version: 1, sha256Hash: digest(FILE_ONLY).slice(7) } }
  t.match(await client.post({ query: FILE_ONLY, extensions }), REQUIRED)
  t.match(await client.post({ extensions }), REQUIRED)
  const batch = await client.post([{ documentId: 'name', variables: { id: 'u1' } }, { query: FILE_ONLY }])
  t.match(batch.body, [{ data: { user: {} } }, { errors: [{ extensions: { code: 'PERSISTED_DOCUMENT_REQUIRED' } }] }])

  const subgraph = async (query: string) => {
    const response = await fetch(`${url}/graphql/subgraphs/users`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    return (await response.json()) as object
  }
  t.match(await subgraph('query SubgraphIntrospectQuery {\n  _service {\n    sdl\n  }\n}'), { data: { _service: {} } })
  for (const query of ['{ _service { sdl } users { id } }', '{ release }', '{ ...f } fragment f on Query { release }'])
    t.match(await subgraph(query), { errors: [{ extensions: { code: 'PERSISTED_DOCUMENT_REQUIRED' } }] }, query)

  const socket = createClient({ url: `${url.replace('http', 'ws')}/graphql/ws`, webSocketImpl: WebSocket })
  const results: unknown[] = []
  for await (const result of socket.iterate({ query: TICKS })) results.push(result)
  t.match(results, [{ data: { ticker: { sequence: 0 } } }])
  await t.rejects(
    async () => {
      for await (const result of socket.iterate({ query: FILE_ONLY })) results.push(result)
    },
    [{ extensions: { code: 'PERSISTED_DOCUMENT_REQUIRED' } }] as never,
  )
  t.equal(results.length, 1)
  await socket.dispose()

  const token = await (await fetch(`${url}/graphql/stream`, { method: 'PUT' })).text()
  const start = async (body: object) =>
    (
      await fetch(`${url}/graphql/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-graphql-event-stream-token': token },
        body: JSON.stringify(body),
      })
    ).status
  t.equal(await start({ documentId: 'name', variables: { id: 'u1' }, extensions: { operationId: '1' } }), 202)
  t.equal(await start({ documentId: 'odd', extensions: { operationId: '2' } }), 400)
})

t.test('public instances take documents from the file only [GQL-67]', async t => {
  const path = file(t, JSON.stringify({ listed: FILE_ONLY }))
  const { url } = await serve(t, {
    env: { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'secret' },
    yaml: `graphql: { documents: { file: ${path} } }\n`,
  })
  t.match(await clientOf(url).post({ documentId: 'listed' }), { data: { users: [{ id: 'u1' }] } })
  const headers = { 'x-svc-admin-token': 'secret' }
  t.match(await control(url, 'PUT', MANIFEST), { status: /^40[13]$/ })
  t.match(await control(url, 'PUT', MANIFEST, headers), { status: 403, json: { error: 'public_mode' } })
  t.match(await control(url, 'DELETE', undefined, headers), { status: 403 })
})
