/** The examples of aimock, side by side with aimock itself, and `svc fixtures import`. */
import t from 'tap'
import { LLMock } from '@copilotkit/aimock'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fixturesCommand } from '../../../plugins/llm/testing/aimock/command.ts'
import type { CommandContext } from '../../../core/contract/plugin.ts'
import { blocksOf } from '../../support/examples.ts'
import { serve } from '../../support/server.ts'

const FOLDER = join(dirname(fileURLToPath(import.meta.resolve('@copilotkit/aimock'))), '..', 'fixtures')
const NAMES = ['llm-openai', 'llm-anthropic', 'llm-gemini', 'llm-bedrock']

interface Fixture {
  match: { userMessage?: string; toolName?: string; toolCallId?: string; inputText?: string }
}

/** The example files with fixtures for models. */
function examples(folder = FOLDER): string[] {
  return readdirSync(folder).flatMap(name => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return examples(path)
    const { fixtures } = JSON.parse(readFileSync(path, 'utf8')) as { fixtures?: { match: { endpoint?: string } }[] }
    return fixtures?.some(({ match }) => match.endpoint !== 'openai-live') ? [path] : []
  })
}

const tool = (name: string): object => ({ type: 'function', function: { name, parameters: { type: 'object' } } })

/** Requests that meet the conditions of a fixture, and one that does not. */
function requestsFor(fixtures: readonly Fixture[]): { path: string; body: object }[] {
  const chat = (messages: object[], more: object = {}): { path: string; body: object } => ({
    path: '/v1/chat/completions',
    body: { model: 'gpt-4o', messages, ...more },
  })
  return fixtures.flatMap(({ match }) => {
    if (match.inputText !== undefined)
      return [{ path: '/v1/embeddings', body: { model: 'text-embedding-3-small', input: match.inputText } }]
    if (match.toolName !== undefined)
      return [chat([{ role: 'user', content: 'go' }], { tools: [tool(match.toolName)] })]
    if (match.toolCallId !== undefined)
      return [
        chat([
          { role: 'user', content: 'go' },
          { role: 'assistant', content: null, tool_calls: [{ id: match.toolCallId, ...tool('f') }] },
          { role: 'tool', tool_call_id: match.toolCallId, content: 'done' },
        ]),
      ]
    return [chat([{ role: 'user', content: `please ${match.userMessage}!` }])]
  })
}

/** What a client reads: texts, calls, finish and vectors. */
async function read(base: string, { path, body }: { path: string; body: object }) {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
    body: JSON.stringify(body),
  })
  const json = (await response.json()) as {
    choices?: {
      message: { content: string | null; tool_calls?: { function: { name: string; arguments: string } }[] }
      finish_reason: string
    }[]
    data?: { embedding: number[] }[]
    error?: { message: string; type: string; code: string | null }
  }
  const choice = json.choices?.[0]
  return {
    status: response.status,
    content: choice?.message.content || null,
    calls:
      choice?.message.tool_calls?.map(({ function: { name, arguments: text } }) => [
        name,
        JSON.parse(text) as object,
      ]) ?? [],
    finish: choice?.finish_reason,
    // aimock sends the vector as it is; here it is padded to the dimensions of the model.
    vector: json.data?.[0]?.embedding.slice(0, 3),
    error: response.ok ? undefined : [json.error?.message, json.error?.type, json.error?.code],
  }
}

t.test('the examples give the same replies as aimock [FIXTURE-6]', async t => {
  const files = examples()
  t.ok(files.length > 10, `${files.length} files`)
  for (const file of files) {
    const { fixtures } = JSON.parse(readFileSync(file, 'utf8')) as { fixtures: Fixture[] }
    const other = new LLMock({ port: 0 })
    other.loadFixtureFile(file)
    const base = await other.start()
    const server = await serve(t, { plugins: NAMES, settings: { llm: { fixtures: file } } })
    t.strictSame(server.problems(), [], file)
    for (const request of requestsFor(fixtures)) {
      const [here, there] = [await read(`${server.url}/ai/openai`, request), await read(base, request)]
      t.strictSame(here, there, `${file}: ${JSON.stringify(request.body)}`)
    }
    await other.stop()
    await server.stop()
  }
})

/** What a client of Anthropic's format reads: blocks and the reason why they end. */
async function readMessage(base: string, content: string): Promise<unknown> {
  const response = await fetch(`${base}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'claude-x', max_tokens: 500, messages: [{ role: 'user', content }] }),
  })
  const json = (await response.json()) as {
    content?: { type: string; text?: string; name?: string; input?: object }[]
    stop_reason?: string
    error?: { message: string; type: string }
  }
  return {
    status: response.status,
    blocks: json.content?.map(({ type, text, name, input }) => ({ type, text, name, input })),
    stop: json.stop_reason,
    error: json.error && [json.error.message, json.error.type],
  }
}

t.test('the examples give the same messages as aimock in the format of Anthropic [FIXTURE-6]', async t => {
  for (const file of examples()) {
    const { fixtures } = JSON.parse(readFileSync(file, 'utf8')) as { fixtures: Fixture[] }
    const texts = fixtures.flatMap(({ match }) => match.userMessage ?? [])
    if (texts.length === 0) continue
    const other = new LLMock({ port: 0 })
    other.loadFixtureFile(file)
    const base = await other.start()
    const server = await serve(t, { plugins: NAMES, settings: { llm: { fixtures: file } } })
    for (const text of texts)
      t.strictSame(
        await readMessage(`${server.url}/ai/anthropic`, text),
        await readMessage(base, text),
        `${file}: ${text}`,
      )
    await other.stop()
    await server.stop()
  }
})

/** The fixtures in aimock's documentation: whole files, and groups of single ones that belong together. */
function documented(): Fixture[][] {
  const page = readFileSync(join(FOLDER, '..', 'skills', 'write-fixtures', 'SKILL.md'), 'utf8')
  return blocksOf(page).flatMap(({ language, text }) => {
    if (language === 'jsonc')
      return text.split('\n\n').map(group =>
        group
          .split('\n')
          .filter(line => line.startsWith('{'))
          .map(line => JSON.parse(line) as Fixture),
      )
    if (language !== 'json') return []
    const value = JSON.parse(text) as { fixtures?: Fixture[] } & Partial<Fixture>
    return value.fixtures !== undefined ? [value.fixtures] : value.match === undefined ? [] : [[value as Fixture]]
  })
}

/** Conversations about what a fixture names: at its beginning, after a reply, and after results of a tool. */
function conversationsFor({ match }: Fixture): { path: string; body: object }[] {
  if (match.inputText !== undefined) return requestsFor([{ match }])
  const user = { role: 'user', content: `please, ${match.userMessage ?? 'go'}` }
  const id = match.toolCallId ?? 'call_001'
  const called = { role: 'assistant', content: null, tool_calls: [{ id, ...tool('f') }] }
  const result = (content: string): object => ({ role: 'tool', tool_call_id: id, content })
  return [
    [user],
    [user, { role: 'assistant', content: 'ok' }, user],
    [user, called, result('{"cancelled":true}')],
    [user, called, result('{"chosen_time":"9:00"}')],
    [user, called, result('{}'), { role: 'assistant', content: 'ok' }, { role: 'user', content: 'something else' }],
  ].map(messages => ({ path: '/v1/chat/completions', body: { model: 'gpt-4o', messages } }))
}

t.test('the fixtures in the documentation of aimock give the same replies [FIXTURE-6]', async t => {
  const groups = documented()
  t.ok(groups.length >= 5 && groups.flat().length >= 10, `${groups.length} groups`)
  for (const [index, fixtures] of groups.entries()) {
    const file = join(t.testdir(), `documented-${index}.json`)
    writeFileSync(file, JSON.stringify({ fixtures }))
    const other = new LLMock({ port: 0 })
    other.loadFixtureFile(file)
    const base = await other.start()
    const server = await serve(t, { plugins: NAMES, settings: { llm: { fixtures: file, strict_fixtures: true } } })
    for (const request of fixtures.flatMap(conversationsFor)) {
      const [here, there] = [await read(`${server.url}/ai/openai`, request), await read(base, request)]
      t.strictSame(withoutMiss(here), withoutMiss(there), `${index}: ${JSON.stringify(request.body)}`)
    }
    await other.stop()
    await server.stop()
  }
})

/** That no fixture matches is said in other words. */
function withoutMiss(reply: Awaited<ReturnType<typeof read>>): unknown {
  return reply.status === 404 ? { ...reply, error: undefined } : reply
}

t.test('turns, results and models are selected as aimock does [FIXTURE-6]', async t => {
  const reply = (content: string): object => ({ response: { content } })
  const fixtures = [
    { match: { userMessage: 'trip', turnIndex: 0 }, ...reply('turn 0') },
    { match: { userMessage: 'trip', turnIndex: 2 }, ...reply('turn 2') },
    { match: { userMessage: 'late', turnIndex: 3 }, ...reply('late') },
    { match: { userMessage: 'mixed', turnIndex: 1 }, ...reply('mixed 1') },
    { match: { userMessage: 'mixed' }, ...reply('mixed') },
    { match: { toolResultContains: 'sunny' }, ...reply('nice') },
    { match: { hasToolResult: true }, ...reply('a result') },
    { match: { model: 'gpt-4o', userMessage: 'model' }, ...reply('the model') },
    { match: { systemMessage: ['alpha', 'beta'] }, ...reply('both') },
    { match: { responseFormat: 'json_object' }, response: { content: { ok: true } } },
    { match: {}, ...reply('any') },
  ]
  const file = join(t.testdir(), 'f.json')
  writeFileSync(file, JSON.stringify({ fixtures }))
  const other = new LLMock({ port: 0 })
  other.loadFixtureFile(file)
  const base = await other.start()
  t.teardown(() => other.stop())
  const server = await serve(t, { plugins: NAMES, settings: { llm: { fixtures: file } } })
  const user = (content: string): object => ({ role: 'user', content })
  const said = { role: 'assistant', content: 'ok' }
  const turns = (text: string, count: number): object[] => [
    ...Array.from({ length: count }, () => [user('before'), said]).flat(),
    user(text),
  ]
  const result = (content: string): object[] => [
    user('weather'),
    { role: 'assistant', content: null, tool_calls: [{ id: 'c', ...tool('f') }] },
    { role: 'tool', tool_call_id: 'c', content },
  ]
  const bodies: object[] = [
    ...[0, 1, 2, 3].map(count => ({ messages: turns('a trip', count) })),
    { messages: turns('late', 0) },
    ...[0, 1, 2].map(count => ({ messages: turns('mixed', count) })),
    { messages: result('it is sunny') },
    { messages: result('it rains') },
    { messages: [...result('it is sunny'), said, user('and now')] },
    { messages: [user('model')] },
    { model: 'gpt-4o-2024-08-06', messages: [user('model')] },
    { model: 'gpt-4o-mini', messages: [user('model')] },
    { messages: [{ role: 'system', content: 'beta then alpha' }, user('x')] },
    { messages: [{ role: 'system', content: 'alpha' }, user('x')] },
    { messages: [user('x')], response_format: { type: 'json_object' } },
  ]
  for (const body of bodies) {
    const request = { path: '/v1/chat/completions', body: { model: 'gpt-4o', ...body } }
    const [here, there] = [await read(`${server.url}/ai/openai`, request), await read(base, request)]
    t.strictSame(here, there, JSON.stringify(body))
  }
})

async function runCommand(
  args: string[],
  workingDirectory: string,
): Promise<{ code: number; out: string; err: string }> {
  const output = { out: '', err: '' }
  const context: CommandContext = {
    out: { write: text => void (output.out += text) },
    err: { write: text => void (output.err += text) },
    environment: {},
    workingDirectory,
    version: '0',
    gitSha: null,
    section: undefined,
    use: () => Promise.resolve(undefined),
    startServer: () => Promise.reject(new Error('not here')),
  }
  const result = await fixturesCommand.run(args, context)
  return { code: 'exitCode' in result ? result.exitCode : -1, ...output }
}

t.test('svc fixtures import writes rules that give the same replies [FIXTURE-7]', async t => {
  const folder = t.testdir()
  const { code, err } = await runCommand(['import', FOLDER, '--out', 'rules.yaml', '--strict'], folder)
  t.equal(code, 1, 'the examples have voices, which rules cannot say')
  t.match(err, /match\.endpoint: "openai-live" has no counterpart; the fixture is left out/)
  const server = await serve(t, { plugins: NAMES, settings: { llm: { fixtures: join(folder, 'rules.yaml') } } })
  t.strictSame(server.problems(), [])
  const ask = (content: string): Promise<unknown> =>
    read(`${server.url}/ai/openai`, {
      path: '/v1/chat/completions',
      body: { model: 'm', messages: [{ role: 'user', content }] },
    })
  t.match(await ask('goodbye'), { content: 'Goodbye! Have a great day!' })
  t.match(await ask('tell me a joke'), { content: /programmer/ })
  t.match(await ask('tell me a joke'), { content: /Java/ })
})

t.test('svc fixtures import explains what is wrong [FIXTURE-7]', async t => {
  const folder = t.testdir({
    'a.json': JSON.stringify({ fixtures: [{ match: { userMessage: 'x' }, response: { content: 'y', id: 'z' } }] }),
    'rules.json': '{"rules":[]}',
    'bad.json': '{',
  })
  const imported = await runCommand(['import', 'a.json'], folder)
  t.equal(imported.code, 0)
  t.match(imported.err, 'a.json: fixtures[0].response.id: this member has no counterpart and is left out\n')
  t.match(imported.out, /# Imported from a\.json\n/)
  t.match(
    imported.out,
    / {2}# fixtures\[0\]\.response\.id: this member has no counterpart and is left out\n {2}- name: a-1\n/,
  )
  const rows: [args: string[], message: RegExp][] = [
    [[], /expected import/],
    [['export'], /unknown action: export/],
    [['import'], /expected the path/],
    [['import', '--strct', 'a.json'], /unknown option: --strct \(did you mean --strict\?\)/],
    [['import', 'a.json', '--out'], /--out needs the name of a file/],
    [['import', 'missing'], /there is no file or folder missing/],
    [['import', 'bad.json'], /bad\.json: /],
    [['import', 'rules.json'], /rules\.json: expected a mapping with a list of fixtures/],
    [['import', 'a.json', '--out', 'no/such/folder.yaml'], /folder\.yaml: /],
  ]
  for (const [args, message] of rows) {
    const { code, err } = await runCommand(args, folder)
    t.equal(code, 2, args.join(' '))
    t.match(err, message)
  }
})
