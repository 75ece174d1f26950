/** Takes long: it starts processes. */
import t from 'tap'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mockCommand } from '../../../plugins/mocks/sources/command.ts'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'
import { mockServer } from './client.ts'
import { answering, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const folder = mkdtempSync(join(tmpdir(), 'svc-mock-command-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const good = file('My Shop.json', JSON.stringify(documentOf({ '/x': { get: answering({ example: 1 }) } })))
const larger = file(
  'larger.json',
  JSON.stringify(documentOf({ '/x': { get: answering({ example: 1 }) }, '/y': { get: answering({}) } })),
)
const bad = file('bad.yaml', 'openapi: 3.1.0\npaths:\n  /x:\n    $ref: ./other.yaml\n')

/** Runs the command and returns its result. */
async function run(
  t: { teardown(callback: () => unknown): unknown },
  ...args: string[]
): Promise<{ code: number | null; output: string; errors: string }> {
  const process = startProcess(t, { args: ['mock', ...args] })
  const { code } = await process.exited
  return { code, output: process.output(), errors: process.errors() }
}

t.test('mock check prints the report and sets the exit code [MOCK-13]', async t => {
  t.match(await run(t, 'check', good), { code: 0, output: /deployable\n {2}OpenAPI 3\.1\.0, Test 1: 1 operations/ })
  t.match(await run(t, 'check', bad), { code: 1, output: /not deployable\n {2}error {2}external_ref line 4/ })
  const json = await run(t, 'check', bad, '--json')
  t.match(JSON.parse(json.output), { deployable: false, errors: [{ code: 'external_ref' }] })
  t.match(await run(t, 'check', good, '--against', larger, '--fail-on', 'breaking'), {
    code: 1,
    output: /breaking {2}GET \/y: operation removed/,
  })
  t.same(await mockCommand.run(['check', good, '--against', larger]), { exitCode: 0 })
})

t.test('mock check and mock serve take GraphQL schemas', async t => {
  const older = file('older.graphql', 'type Query { user(id: ID!): User }\ntype User { id: ID! age: Int }\n')
  const newer = file('newer.graphql', 'type Query { user(id: ID!): User }\ntype User { id: ID! }\n')
  const broken = file('broken.graphql', 'type Query {\n  a: Missing\n}\n')
  t.match(await run(t, 'check', newer, '--against', older, '--fail-on', 'breaking'), {
    code: 1,
    output: /breaking {2}User\.age/,
  })
  t.match(await run(t, 'check', older, '--against', older, '--fail-on', 'breaking'), { code: 0 })
  t.match(await run(t, 'check', broken), { code: 1, output: /error {2}schema_invalid line 2/ })
  const answers = await Promise.all(
    ['one', 'two'].map(async () => {
      const server = startProcess(t, { args: ['mock', 'serve', older] })
      const port = await server.port('HTTP')
      await until(() => server.output().includes('mock older at'), 'the line')
      const response = await fetch(`http://127.0.0.1:${port}/mock/older`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ user(id: "u-5") { id age } }' }),
      })
      return response.json()
    }),
  )
  t.match(answers[0], { data: { user: { id: 'u-5', age: Number } } })
  t.strictSame(answers[1], answers[0], 'two processes have equal data')
})

t.test('an invalid command line exits with 2 [MOCK-13]', async t => {
  const { code, errors } = await run(t, 'check')
  t.match({ code, errors }, { code: 2, errors: /usage: svc mock check/ })
  for (const args of [
    [],
    ['what'],
    ['check'],
    ['check', good, '--what'],
    ['check', '/nowhere'],
    ['push', 'a', good],
    ['push', 'a', good, '--url', 'x'],
    ['serve', '/nowhere'],
    ['serve', good, larger, '--name', 'a'],
    ['check', good, '--against'],
  ]) {
    t.same(await mockCommand.run(args), { exitCode: 2 }, args.join(' '))
  }
})

t.test('mock serve starts with the documents [MOCK-13]', async t => {
  const server = startProcess(t, { args: ['mock', 'serve', good, larger] })
  const port = await server.port('HTTP')
  await until(() => server.output().includes('mock larger at'), 'the lines')
  t.match(server.output(), `mock my-shop at http://localhost:${port}/mock/my-shop`)
  t.equal((await fetch(`http://127.0.0.1:${port}/mock/my-shop/x`)).status, 200)
  t.match(await (await fetch(`http://127.0.0.1:${port}/_svc/mocks/larger`)).json(), { source: 'cli', managed: true })
})

t.test('mock push uploads to a running instance [MOCK-13] [MOCK-20]', async t => {
  const server = await mockServer(t, { env: { SVC_ADMIN_TOKEN: 'secret' } })
  t.same(await mockCommand.run(['push', 'shop', good, '--url', server.url]), { exitCode: 1 })
  t.match(await run(t, 'push', 'shop', good, '--url', server.url, '--token', 'secret'), {
    code: 0,
    output: /pushed to/,
  })
  t.equal((await server.call('/mock/shop/x')).text, '1')
  t.same(await mockCommand.run(['push', 'shop', larger, '--url', `${server.url}/`, '--token', 'secret', '--draft']), {
    exitCode: 0,
  })
  t.match((await server.call('/_svc/mocks/shop')).json, { version: 1, has_draft: true })
  t.same(await mockCommand.run(['push', 'shop', bad, '--url', server.url, '--token', 'secret']), { exitCode: 1 })
  t.same(await mockCommand.run(['push', 'shop', good, '--url', 'http://127.0.0.1:1']), { exitCode: 1 })
})
