/** Rules in files that `rules` of `svc.yaml` names, and files that rules respond with. */
import t from 'tap'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { serve, type TestServer } from '../../support/server.ts'
import { putRule, send } from '../../support/rules.ts'

type Test = Pick<typeof t, 'testdir' | 'teardown'>

async function serveFiles(
  t: Test,
  files: Record<string, string | Buffer>,
  rules: (folder: string) => object[],
  env: Record<string, string> = {},
): Promise<{ server: TestServer; folder: string }> {
  const folder = t.testdir({})
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return { server: await serve(t, { plugins: ['echo'], settings: { rules: rules(folder) }, env }), folder }
}

const responding = (respond: object, path = '/x'): string =>
  JSON.stringify({ rules: [{ match: { path }, then: { respond } }] })

t.test('an entry of rules can name a file or folder; the order is that of the list [RULE-60]', async t => {
  const { server } = await serveFiles(
    t,
    {
      'a.json': responding({ body: 'a' }),
      'more/b.yaml': 'rules:\n  - name: b\n    match: { path: /b }\n    then: { fail: 503 }\n',
    },
    folder => [
      { name: 'first', match: { path: '/x' }, then: { respond: { body: 'first' } }, times: 1 },
      { file: join(folder, 'a.json') },
      { file: join(folder, 'more') },
      { name: 'last', match: { path: '/x' }, then: { fail: 500 } },
    ],
  )
  t.strictSame(server.problems(), [])
  t.strictSame([(await send(server, '/x')).text, (await send(server, '/x')).text], ['first', 'a'])
  t.equal((await send(server, '/b')).status, 503)
  t.match((await send(server, '/_svc/rules')).json, {
    rules: [
      { name: 'first', source: 'svc.yaml' },
      { name: 'a-1', source: 'svc.yaml', file: /a\.json$/, line: 1 },
      { name: 'b', source: 'svc.yaml', file: /b\.yaml$/, line: 2 },
      { name: 'last' },
    ],
  })
  t.equal(
    (await send(server, 'PUT /_svc/rules/b', { body: { then: { pass: true } } })).status,
    409,
    'it is from a file',
  )
})

t.test('what is wrong in a file is reported with its place, and the rest counts [RULE-60]', async t => {
  const { server } = await serveFiles(
    t,
    { 'a.json': JSON.stringify({ rules: [{ then: { fial: 500 } }, { match: { path: '/b' }, then: { fail: 503 } }] }) },
    folder => [{ file: join(folder, 'a.json') }, { file: 'nothing.yaml' }, { file: 'a.json', name: 'x' }],
  )
  t.equal((await send(server, '/b')).status, 503)
  t.match(server.problems(), [
    { at: 'rules[1].file', message: /there is no file or folder nothing\.yaml/ },
    { at: 'rules[2].name', message: /unknown key/ },
    { file: /a\.json$/, at: 'rules[0].then.fial', line: 1 },
  ])
})

t.test('a changed file is read again, and rules that stay keep their counters [RULE-60]', async t => {
  const { server, folder } = await serveFiles(t, { 'a.json': responding({ body: 'old' }) }, f => [
    { name: 'count', match: { path: '/c' }, then: { respond: { body: '{{count}}' } } },
    { file: join(f, 'a.json') },
  ])
  t.equal((await send(server, '/c')).text, '1')
  t.equal((await send(server, '/x')).text, 'old')
  await writeFile(join(folder, 'a.json'), responding({ body: 'new' }))
  await server.host.reload({ force: true })
  t.equal((await send(server, '/x')).text, 'new')
  t.equal((await send(server, '/c')).text, '2')
})

t.test('body_file responds with a file, whose ending gives the type [RULE-61]', async t => {
  const bytes = Buffer.from([0, 255, 1])
  const names = ['page.html', 'data.json', 'blob.bin', 'name.txt', 'plain.txt', 'own.txt']
  const { server, folder } = await serveFiles(
    t,
    {
      'files/page.html': '<p>{{request.path}}</p>',
      'files/data.json': '{"a":1}',
      'files/blob.bin': bytes,
      'files/name.txt': 'hello {{request.query.n}}{{request.body.a|}}',
      'files/plain.txt': 'hello {{x}}',
      'files/own.txt': 'own',
      'rules.json': JSON.stringify({
        rules: names.map(name => ({
          match: { path: `/${name}` },
          then: {
            respond: {
              body_file: `files/${name}`,
              headers: { 'X-Path': '{{request.path}}' },
              ...(name === 'name.txt' && { template: true }),
              ...(name === 'own.txt' && { content_type: null, reason: 'Fine' }),
            },
          },
        })),
      }),
    },
    folder => [{ file: join(folder, 'rules.json') }],
  )
  t.strictSame(server.problems(), [])
  const page = await send(server, '/page.html')
  t.strictSame(
    [page.text, page.headers.get('content-type'), page.headers.get('x-path')],
    ['<p>{{request.path}}</p>', 'text/html; charset=utf-8', '/page.html'],
  )
  t.match(page.headers.get('content-security-policy'), /sandbox/)
  t.equal((await send(server, '/data.json')).headers.get('content-type'), 'application/json')
  t.strictSame(Buffer.from(await (await fetch(`${server.url}/blob.bin`)).arrayBuffer()), bytes)
  t.equal((await send(server, 'POST /name.txt?n=you', { body: { a: '!' } })).text, 'hello you!')
  t.equal((await send(server, '/plain.txt')).text, 'hello {{x}}')
  const own = await fetch(`${server.url}/own.txt`)
  t.strictSame([own.headers.get('content-type'), own.statusText, await own.text()], [null, 'Fine', 'own'])
  await writeFile(join(folder, 'files/own.txt'), 'changed')
  await server.host.reload()
  t.equal((await send(server, '/own.txt')).text, 'changed', 'the file is watched')
})

t.test('body_file stays below the folder of its file, and is for files only [RULE-61]', async t => {
  const outside = t.testdir({ 'secret.txt': 'secret' })
  const paths = ['../secret.txt', '/etc/hostname', 'link.txt', 'none.txt', 'large.txt', 'sub', '', 'bad.txt']
  const folder = t.testdir({})
  await mkdir(join(folder, 'sub'))
  await symlink(join(outside, 'secret.txt'), join(folder, 'link.txt'))
  await writeFile(join(folder, 'large.txt'), Buffer.alloc(4 * 1024 * 1024 + 1))
  await writeFile(join(folder, 'bad.txt'), '{{reqest.path}}')
  await writeFile(
    join(folder, 'rules.json'),
    JSON.stringify({
      rules: paths.map(path => ({
        then: { respond: { body_file: path, ...(path === 'bad.txt' && { template: true }) } },
      })),
    }),
  )
  const server = await serve(t, { plugins: ['echo'], settings: { rules: [{ file: join(folder, 'rules.json') }] } })
  t.match(
    server.problems().map(({ message }) => message),
    [
      /relative path/,
      /relative path/,
      /there is no such file|symbolic link/,
      /no such file/,
      /more than 4194304/,
      /not a file/,
      /relative path/,
      /request/,
    ],
  )
  t.equal(server.problems()[0]?.at, 'rules[0].then.respond.body_file')
  const body = { then: { respond: { body_file: 'a.txt' } } }
  t.match(await send(server, 'PUT /_svc/rules/x', { body }), {
    status: 400,
    json: { error: 'invalid_rule', at: 'then.respond.body_file', details: /svc\.yaml/ },
  })
  const answer = await send(server, '/echo', { headers: { 'X-Svc-Answer': '{"body_file":"a.txt"}' } })
  t.match([answer.status, answer.json], [400, { error: 'invalid_answer', at: 'body_file' }])
  t.equal((await putRule(server, 'y', { then: { respond: { body: 'x', content_type: null } } })).status, 201)
})
