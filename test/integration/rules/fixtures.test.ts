/** Rules in files: `llm.fixtures`, strict fixtures, and what is wrong in a file. */
import t from 'tap'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serve, type TestServer } from '../../support/server.ts'
import { putRule, send } from '../../support/rules.ts'

type Test = Pick<typeof t, 'testdir' | 'teardown'>

const NAMES = ['llm-openai', 'llm-anthropic', 'echo']
const greet = (text: string, user = 'hello'): object => ({
  match: { llm: { user: { contains: user } } },
  then: { reply: { text } },
})

async function serveFixtures(
  t: Test,
  files: Record<string, unknown>,
  llm: object = { fixtures: './fixtures' },
): Promise<{ server: TestServer; write(name: string, content: unknown): Promise<void> }> {
  const folder = t.testdir({ fixtures: {} })
  const write = async (name: string, content: unknown): Promise<void> => {
    await mkdir(join(folder, 'fixtures', name, '..'), { recursive: true })
    await writeFile(join(folder, 'fixtures', name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  for (const [name, content] of Object.entries(files)) await write(name, content)
  const named = Object.entries(llm).map(([key, value]) => [key, absolute(value, folder)])
  const server = await serve(t, { plugins: NAMES, settings: { llm: Object.fromEntries(named) } })
  return { server, write }
}

const absolute = (value: unknown, folder: string): unknown =>
  typeof value === 'string'
    ? join(folder, value)
    : Array.isArray(value)
      ? value.map(one => absolute(one, folder))
      : value

async function ask(server: TestServer, content: string, headers: Record<string, string> = {}) {
  const body = { model: 'm', messages: [{ role: 'user', content }] }
  const reply = await send(server, 'POST /ai/openai/v1/chat/completions', { body, headers })
  const json = reply.json as { choices?: { message: { content: string } }[] }
  return { ...reply, text: json.choices?.[0]?.message.content ?? reply.text }
}

t.test('files of a folder are rules of the instance, in their order [FIXTURE-1]', async t => {
  const { server } = await serveFixtures(t, {
    'b.yaml': 'rules:\n  - match: { llm: { user: { contains: hello } } }\n    then: { reply: { text: from b } }\n',
    'a.json': { rules: [greet('from a', 'hello a'), { name: 'own', ...greet('named', 'named') }] },
    'deep/a.yml': JSON.stringify({ rules: [greet('from deep', 'deep')] }),
    'notes.txt': 'not a fixture',
    '.hidden.yaml': 'nonsense: [',
  })
  t.strictSame(server.problems(), [])
  t.match((await send(server, '/_svc/rules')).json, {
    count: 4,
    rules: [
      { name: 'a-1', scope: 'instance', source: 'fixture', file: /a\.json$/, line: 1, hits: 0 },
      { name: 'own' },
      { name: 'b-1', file: /b\.yaml$/, line: 2 },
      { name: 'deep-a-1' },
    ],
  })
  t.equal((await ask(server, 'hello a')).text, 'from a')
  t.equal((await ask(server, 'hello')).text, 'from b')
  t.equal((await ask(server, 'deep')).text, 'from deep')
  t.match((await send(server, '/_svc/rules/b-1')).json, { hits: 1 })
  await putRule(server, 'stored', greet('stored'))
  t.equal((await ask(server, 'hello')).text, 'stored', 'rules stored over HTTP come first')
  const anthropic = await send(server, 'POST /ai/anthropic/v1/messages', {
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model: 'c', max_tokens: 9, messages: [{ role: 'user', content: 'deep' }] },
  })
  t.match(anthropic.json, { content: [{ text: 'from deep' }] }, 'every provider has them')
  t.equal((await send(server, '/echo')).headers.get('x-svc-rule'), null)
})

t.test('a change is served after the reload; what is wrong does not keep its old version [FIXTURE-2]', async t => {
  const { server, write } = await serveFixtures(t, { 'a.json': { rules: [greet('one'), greet('other', 'other')] } })
  t.equal((await ask(server, 'hello')).text, 'one')
  await write('a.json', { rules: [greet('two'), greet('other', 'other')] })
  t.equal((await server.reload()).changed, true)
  t.equal((await ask(server, 'hello')).text, 'two')
  await write('a.json', { rules: [{ ...greet('three'), then: { reply: { txt: 'x' } } }, greet('other', 'other')] })
  await server.reload()
  t.not((await ask(server, 'hello')).text, 'two')
  t.equal((await ask(server, 'other')).text, 'other', 'the rest counts')
  t.match(server.problems(), [
    { file: /a\.json$/, at: 'rules[0].then.reply.txt', line: 1, message: /unknown key "txt"/ },
  ])
  await write('a.json', '{"rules": [')
  await server.reload()
  t.match(server.problems(), [{ file: /a\.json$/, message: /not valid JSON/ }])
  t.not((await ask(server, 'other')).text, 'other')
  await write('b.yaml', { rules: [greet('added', 'added')] })
  await server.reload()
  t.equal((await ask(server, 'added')).text, 'added', 'a new file in the folder')
})

t.test('changes of watched files are served without a request to reload [FIXTURE-2]', async t => {
  const folder = t.testdir({ 'a.json': JSON.stringify({ rules: [greet('one')] }) })
  const server = await serve(t, {
    plugins: NAMES,
    settings: { llm: { fixtures: join(folder, 'a.json') } },
    env: { SVC_WATCH: 'true' },
  })
  t.equal((await ask(server, 'hello')).text, 'one')
  await writeFile(join(folder, 'a.json'), JSON.stringify({ rules: [greet('two')] }))
  let text = 'one'
  while (text === 'one') ({ text } = await ask(server, 'hello'))
  t.equal(text, 'two')
})

t.test('wrong paths and files are reported with their place [FIXTURE-3]', async t => {
  const { server } = await serveFixtures(
    t,
    {
      'list.json': [1],
      'more.yaml': 'rules: []\nextra: 1\n',
      'twice.yaml': JSON.stringify({
        rules: [
          { name: 'x', then: { delay: 1 } },
          { name: 'x', then: { delay: 1 } },
        ],
      }),
      'broken.yaml': 'rules:\n  - a: [\n',
    },
    { fixtures: ['fixtures', 'missing'] },
  )
  t.match(server.problems(), [
    { file: /broken\.yaml$/, at: null, message: /not valid YAML/ },
    { file: /list\.json$/, at: null, message: /expected a mapping with a list of rules/ },
    { file: /more\.yaml$/, at: 'extra', line: 2, message: /unknown key/ },
    { at: 'llm.fixtures[1]', message: /there is no file or folder/, remedy: /relative to svc\.yaml/ },
    { file: /twice\.yaml$/, at: 'rules[1].name', message: 'the name x occurs twice' },
  ])
})

t.test('symbolic links that leave the folder are not followed, and counts are bounded [FIXTURE-3]', async t => {
  const folder = t.testdir({
    outside: { 'o.json': JSON.stringify({ rules: [greet('outside', 'outside')] }) },
    inside: { 'i.json': JSON.stringify({ rules: Array.from({ length: 2001 }, () => greet('in', 'inside')) }) },
  })
  await symlink(join(folder, 'outside', 'o.json'), join(folder, 'inside', 'link.json'))
  await symlink(join(folder, 'outside'), join(folder, 'inside', 'folder'))
  await symlink(join(folder, 'inside', 'i.json'), join(folder, 'inside', 'z.json'))
  const server = await serve(t, { plugins: NAMES, settings: { llm: { fixtures: join(folder, 'inside') } } })
  const { count } = (await send(server, '/_svc/rules')).json as { count: number }
  t.equal(count, 2000)
  t.match(server.problems(), [
    { file: /i\.json$/, message: 'only 2000 rules of files are used; 1 are left out' },
    { file: /z\.json$/, message: 'only 2000 rules of files are used; 2001 are left out' },
  ])
  t.equal((await ask(server, 'inside')).text, 'in')
})

t.test('strict fixtures: without a rule, 404 with the closest fixture [FIXTURE-4]', async t => {
  const { server } = await serveFixtures(
    t,
    {
      'greet.json': {
        rules: [
          greet('hi'),
          { match: { llm: { user: 'once' } }, then: [{ reply: { text: 'first' } }] },
          { match: { llm: { user: 'slow' } }, then: { delay: 1 } },
        ],
      },
    },
    { fixtures: ['fixtures'], strict_fixtures: true },
  )
  t.equal((await ask(server, 'hello')).text, 'hi')
  const missing = await ask(server, 'goodbye')
  t.equal(missing.status, 404)
  t.match(missing.json, {
    error: { message: 'no fixture matches; the closest is greet-1, which differs in llm.user', code: /\w/ },
  })
  t.equal((await ask(server, 'once')).text, 'first')
  t.match((await ask(server, 'once')).json, { error: { message: /greet-2, which is exhausted or disabled/ } })
  t.equal((await ask(server, 'slow')).status, 200, 'a rule that passes acts, too')
  t.equal((await ask(server, 'goodbye', { 'x-svc-strict-fixtures': 'false' })).status, 200)
  const wrong = await ask(server, 'goodbye', { 'x-svc-strict-fixtures': 'no' })
  t.equal(wrong.status, 404)
  t.match(wrong.headers.get('x-svc-ignored'), /X-Svc-Strict-Fixtures; expected true or false/)
  const anthropic = await send(server, 'POST /ai/anthropic/v1/messages', {
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model: 'c', max_tokens: 9, messages: [{ role: 'user', content: 'goodbye' }] },
  })
  t.equal(anthropic.status, 404)
  t.match(anthropic.json, { type: 'error', error: { type: 'not_found_error', message: /no fixture matches/ } })
  const embeddings = await send(server, 'POST /ai/openai/v1/embeddings', { body: { model: 'm', input: 'x' } })
  t.equal(embeddings.status, 200, 'only text generation')
  t.equal((await ask(server, 'goodbye', { 'x-svc-fail': '503' })).status, 503)
})

t.test('a request can require a fixture [FIXTURE-4]', async t => {
  const server = await serve(t, { plugins: NAMES })
  t.equal((await ask(server, 'hello')).status, 200)
  const { status, json } = await ask(server, 'hello', { 'x-svc-strict-fixtures': 'true' })
  t.equal(status, 404)
  t.match(json, { error: { message: 'no fixture matches' } })
})
