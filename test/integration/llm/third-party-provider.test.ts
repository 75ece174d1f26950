/** A third-party provider in one file, loaded from a folder outside the repository. */
import t from 'tap'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../../support/server.ts'

const source = join(import.meta.dirname, '../../fixtures/plugins/llm-parrot')
const folder = mkdtempSync(join(tmpdir(), 'svc-parrot-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
cpSync(source, join(folder, 'llm-parrot'), { recursive: true })
cpSync(source, join(folder, 'llm-parrot-again'), { recursive: true })

const yaml = `plugins: { enable: [llm-openai, llm-parrot, llm-parrot-again] }
llm:
  providers:
    - { name: cockatoo, format: parrot, models: [kiki], reply: "I received {{prompt}}" }
`
const server = await serve(t, { yaml, env: { SVC_PLUGINS_DIR: folder } })

const say = (body: object, headers: Record<string, string> = {}, name = 'parrot'): Promise<Response> =>
  fetch(`${server.url}/ai/${name}/say`, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    body: JSON.stringify(body),
  })

t.test('the plugin is one short file', async t => {
  t.ok(readFileSync(join(source, 'index.ts'), 'utf8').split('\n').length < 150)
})

t.test('replies, streams, faults and records work as for built-in providers [LLM-31]', async t => {
  const answer = await say({ say: 'hello', words: 3, loud: true }, { 'x-feather': 'green-7777' })
  t.same(
    [
      answer.status,
      answer.headers.get('x-svc-provider'),
      answer.headers.get('x-svc-credential'),
      answer.headers.get('x-svc-model'),
    ],
    [200, 'parrot', 'feather ****7777', 'polly'],
  )
  t.same(await answer.json(), { said: 'HELLO!', end: 'out of breath', breath: 7 })
  t.equal(answer.headers.get('x-parrot-breath'), '7')
  t.equal(
    await (await say({ say: 'hello', words: 2, stream: true })).text(),
    '{"word":"Hell"}\n{"word":"o"}\n{"breath":6}\n',
  )
  t.match(await (await say({ say: 'hi', model: 'polly-echo' })).json(), { said: 'user: hi' })
  t.match(await (await say({})).json(), { squawk: 'bad_request', message: 'say is required' })
  t.match(await (await say({ say: 'x' }, { 'X-Svc-Require-Auth': 'true' })).json(), {
    squawk: 'missing_credential',
    message: 'no feather, no words',
  })
  t.match(await (await say({ say: 'x' }, { 'X-Svc-Fail': '429' })).json(), { squawk: 'rate_limit' })
  t.same(await (await fetch(`${server.url}/ai/parrot/squawks`)).json(), ['polly', 'polly-echo'])
  t.equal(await (await fetch(`${server.url}/ai/parrot/perches/garden/tree/view`)).text(), 'a view from garden/tree')
  t.match(await (await fetch(`${server.url}/ai/requests/${answer.headers.get('x-svc-request-id')}`)).json(), {
    provider: 'parrot',
    finish_reason: 'out of breath',
    normalized_prompt: 'user: hello',
  })
})

t.test('it adds rules and fault kinds for all providers [LLM-31]', async t => {
  t.match(await (await say({ say: 'a Cracker?' })).json(), { said: 'polly wants a cracker.' })
  const asleep = await say({ say: 'x' }, { 'X-Svc-Fail': 'snoring' })
  t.equal(asleep.status, 503)
  t.match(await asleep.json(), { squawk: 'unavailable', message: 'the parrot sleeps' })
  const openai = await fetch(`${server.url}/ai/v1/chat/completions?fail=asleep`, { method: 'POST' })
  t.match(await openai.json(), { error: { code: 'service_unavailable', message: 'the parrot sleeps' } })
  const broke = await fetch(`${server.url}/ai/v1/chat/completions?fail=broke`, { method: 'POST' })
  t.equal(broke.status, 402)
  t.match(await broke.json(), {
    error: { message: /^Insufficient Balance$/, code: 'invalid_request_error', type: 'unknown_error' },
  })
  t.ok(((await (await fetch(`${server.url}/ai`)).json()) as { fail_kinds: string[] }).fail_kinds.includes('asleep'))
})

t.test('svc.yaml can use its format, whatever the load order [LLM-31]', async t => {
  t.match(await (await say({ say: 'you' }, {}, 'cockatoo')).json(), { said: 'I received you' })
  t.same(await (await fetch(`${server.url}/ai/cockatoo/squawks`)).json(), ['kiki'])
})

t.test('a summary that starts with the title does not repeat it [LLM-31]', async t => {
  const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as {
    endpoints: { path: string; summary: string }[]
  }
  const summaries = endpoints.filter(({ path }) => path.endsWith('/say')).map(({ summary }) => summary)
  t.strictSame(summaries.toSorted(), ['Parrot: say something', 'cockatoo: say something'])
})

t.test('only the second provider with the same name fails [LLM-31]', async t => {
  const { plugins } = (await (await fetch(`${server.url}/_svc/plugins`)).json()) as {
    plugins: { name: string; state: string; error: { message: string } | null }[]
  }
  t.match(
    plugins.find(plugin => plugin.name === 'llm-parrot-again'),
    { state: 'failed', error: { message: /already|exists/ } },
  )
  t.match(
    plugins.find(plugin => plugin.name === 'llm-parrot'),
    { state: 'enabled' },
  )
})
