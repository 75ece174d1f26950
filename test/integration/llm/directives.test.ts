/** Directives: lines of prompts that say how requests are answered, for clients whose headers do not survive. */
import t from 'tap'
import { connectJson } from '../../support/json-socket.ts'
import { askFormat, formats, serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t, {
  yaml: `llm:
  providers:
    - { name: shaky, format: openai, fail: "503:100" }
    - { name: tardy, format: openai, latency: { latency_ms: 30000 } }
`,
})
const CHAT = '/ai/openai/v1/chat/completions'

interface Asked {
  status: number
  headers: Headers
  text: string
  id: string
}
type Json = Record<string, never>

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Asked> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
    id: response.headers.get('x-svc-request-id')!,
  }
}

/** A chat whose last message is `text`. */
function ask(text: string, headers: Record<string, string> = {}, more: object = {}, path = CHAT): Promise<Asked> {
  return post(path, { model: 'svc-gpt', messages: [{ role: 'user', content: text }], ...more }, headers)
}
const contentOf = ({ text }: Asked): string =>
  (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]!.message.content

let sessions = 0
const newSession = (): Record<string, string> => ({ 'X-Svc-Session': `directives-${sessions++}` })

t.test('each item acts as the header that it stands for [STR-33]', async t => {
  const asHeader: [item: string, header: string, value: string, more?: object][] = [
    ['mode=echo', 'X-Svc-Mode', 'echo'],
    ['reply=Yes; mode=echo', 'X-Svc-Reply', 'Yes'],
    ['reply=Gr%C3%BC%C3%9Fe', 'X-Svc-Reply', 'Gr%C3%BC%C3%9Fe'],
    ['reply="50%25; \\"a\\""', 'X-Svc-Reply', encodeURIComponent('50%25; "a"')],
    ['reply-json={"text":"a; b]"}', 'X-Svc-Reply-Json', '{"text":"a; b]"}'],
    ['size=tokens=12', 'X-Svc-Reply-Size', 'tokens=12'],
    ['size=bytes=100', 'X-Svc-Reply-Size', 'bytes=100'],
    ['cached=2', 'X-Svc-Cached-Tokens', '2'],
    ['context=9', 'X-Svc-Context-Window', '9'],
    ['context=3', 'X-Svc-Context-Window', '3'],
    ['shape=no-done, usage=last', 'X-Svc-Stream-Shape', 'no-done, usage=last', { stream: true }],
    ['validation=enforce', 'X-Svc-Validation', 'enforce', { stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['fail=429', 'X-Svc-Fail', '429'],
    ['fail=stream_error@2', 'X-Svc-Fail', 'stream_error@2', { stream: true }],
    ['fail=content_filter', 'X-Svc-Fail', 'content_filter'],
    ['profile=instant', 'X-Svc-Profile', 'instant'],
    ['jitter=10', 'X-Svc-Jitter', '10'],
  ]
  // Ids and times differ between two requests.
  const bare = (text: string): string =>
    text
      .replaceAll(/chatcmpl-[A-Za-z0-9]+/g, 'id')
      .replaceAll(/"created":\d+/g, '')
      .replaceAll(/fp_\w+/g, '')
  for (const [item, header, value, more] of asHeader) {
    const wanted = await ask('hello there', { [header]: value }, more)
    const got = await ask(`[svc ${item}]\nhello there`, {}, more)
    t.equal(got.status, wanted.status, item)
    t.equal(bare(got.text), bare(wanted.text), item)
    t.equal(got.headers.get('x-svc-directive'), item.replaceAll(/[^\x20-\x7e]/g, '?'))
    for (const name of [
      'x-svc-stream-shape',
      'x-svc-violations',
      'x-svc-validation',
      'x-svc-mode',
      'retry-after',
      'x-svc-fault',
    ])
      t.equal(got.headers.get(name), wanted.headers.get(name), `${item}: ${name}`)
  }
})

t.test('latency, time to the first token and speed', async t => {
  const timeOf = async (asking: Promise<Asked>): Promise<number> => {
    const began = performance.now()
    t.equal((await asking).status, 200)
    return performance.now() - began
  }
  t.ok((await timeOf(ask('[svc latency=150]\nhello'))) >= 145)
  t.ok((await timeOf(ask('[svc ttft=150]\nhello'))) >= 145)
  const profile = await ask('[svc profile="ttft=constant(120); gap=constant(0)"]\nhello')
  t.match(profile.headers.get('x-svc-timing'), 'ttft=120')
  const TARDY = '/ai/tardy/v1/chat/completions'
  const faster = async (one: Promise<Asked>): Promise<void> => {
    const slow = new AbortController()
    const other = fetch(server.url + TARDY, { method: 'POST', body: '{"messages":[]}', signal: slow.signal })
    t.equal(await Promise.race([one.then(() => 'one'), other.then(() => 'other')]), 'one')
    slow.abort()
    await other.catch(() => {})
  }
  await faster(ask('[svc latency=60000]\nhello', { 'X-Svc-Latency-Ms': '0' })) // The header wins.
  await faster(ask('[svc latency=0]\nhello', {}, {}, TARDY)) // The provider loses.
})

t.test('the model does not see a directive, in any format [STR-34]', async t => {
  for (const format of formats) {
    for (const text of ['[svc mode=echo]\nhello', 'hello\n[svc mode=echo]']) {
      const { json } = await askFormat(server.url, format, { text })
      const plain = await askFormat(server.url, format, { text: 'hello', headers: { 'X-Svc-Mode': 'echo' } })
      t.equal(format.text(json()), format.text(plain.json()), format.id)
    }
    const stream = await askFormat(server.url, format, { text: '[svc reply=Yes]\nhello', stream: true })
    t.equal(format.pieces(stream.bytes).join(''), 'Yes', `${format.id}: streamed`)
    const failed = await askFormat(server.url, format, { text: '[svc fail=429; retry-after=7]\nhello' })
    t.equal(failed.status, 429, format.id)
    t.equal(failed.headers.get('retry-after'), '7', format.id)
    const wrong = await askFormat(server.url, format, { text: '[svc fial=429]\nhello' })
    t.equal(wrong.status, 400, format.id)
    t.equal(format.message(wrong.json()), '[svc …]: unknown name fial; did you mean fail?', format.id)
    const escaped = await askFormat(server.url, format, { text: '\\[svc fail=429]', headers: { 'X-Svc-Mode': 'echo' } })
    t.match(format.text(escaped.json()), 'user: [svc fail=429]', format.id)
  }
})

t.test('records, conditions and counts of tokens have the text without it; the body is as received', async t => {
  const session = newSession()
  const [plain, marked] = [await ask('hello', session), await ask('[svc tps=0]\nhello', session)]
  const usage = ({ text }: Asked): unknown => (JSON.parse(text) as { usage: unknown }).usage
  t.strictSame(usage(marked), usage(plain))
  const record = (await (await fetch(`${server.url}/ai/requests/${marked.id}`)).json()) as Json
  t.match(record, {
    directive: 'tps=0',
    normalized_prompt: 'user: hello',
    body: { messages: [{ content: '[svc tps=0]\nhello' }] },
  })
  t.match(await (await fetch(`${server.url}/ai/requests/${plain.id}`)).json(), { directive: null })
  const rule = { name: 'exact', match: { llm: { user: 'hello' } }, then: { reply: { text: 'By rule' } } }
  await post('/_svc/rules', rule, session)
  t.equal(contentOf(await ask('[svc tps=0]\nhello', session)), 'By rule')
  t.equal(
    contentOf(await ask('[svc reply=By directive]\nhello', session)),
    'By directive',
    'a directive wins over rules',
  )
  const captured = await post('/_svc/verify', { match: { llm: { user: 'hello' } }, exactly: 4 }, session)
  t.equal(captured.status, 200, captured.text)
  const counted = await post('/ai/anthropic/v1/messages/count_tokens', {
    model: 'svc-claude',
    messages: [{ role: 'user', content: '[svc tps=0]\nhello' }],
  })
  const bareCount = await post('/ai/anthropic/v1/messages/count_tokens', {
    model: 'svc-claude',
    messages: [{ role: 'user', content: 'hello' }],
  })
  t.equal(counted.text, bareCount.text)
})

t.test('embeddings, completions and counts have directives too', async t => {
  const embed = (input: unknown): Promise<Asked> => post('/ai/openai/v1/embeddings', { model: 'svc-embed', input })
  t.equal((await embed('[svc tps=0]\nhello')).text, (await embed('hello')).text)
  t.equal((await embed(['[svc fail=429]\nhello', 'b'])).status, 429)
  t.equal((await embed(['hello', '[svc fail=429]\nhello'])).status, 200, 'only the first input')
  const complete = (prompt: string): Promise<Asked> =>
    post('/ai/openai/v1/completions', { model: 'svc-gpt', prompt, echo: true })
  const bare = (asked: Asked): unknown => {
    const { choices, usage } = JSON.parse(asked.text) as { choices: unknown; usage: unknown }
    return { choices, usage }
  }
  t.strictSame(bare(await complete('[svc tps=0]\nhello')), bare(await complete('hello')))
  const counted = await post('/ai/gemini/v1beta/models/svc-gemini:countTokens', {
    contents: [{ parts: [{ text: '[svc fail=503]\nhello' }] }],
  })
  t.equal(counted.status, 503)
  t.match(JSON.parse((await embed('[svc fial=1]')).text), { error: { param: 'input' } })
})

t.test('times counts by session and line, and the request is then served as without it [STR-35]', async t => {
  const session = newSession()
  const statuses = async (text: string, headers: Record<string, string>, count: number): Promise<number[]> => {
    const all: number[] = []
    for (let n = 0; n < count; n++) all.push((await ask(text, headers)).status)
    return all
  }
  t.strictSame(await statuses('[svc fail=429; times=2]\nhello', session, 4), [429, 429, 200, 200])
  t.strictSame(await statuses('[svc fail=429; times=2]\nhello', newSession(), 3), [429, 429, 200], 'another session')
  t.strictSame(await statuses('[svc fail=500; times=1]\nhello', session, 2), [500, 200], 'another line')
  const spent = await ask('[svc fail=429; times=2]\nhello', { ...session, 'X-Svc-Mode': 'echo' })
  t.equal(spent.headers.get('x-svc-directive'), 'fail=429; times=2; spent')
  t.match(contentOf(spent), 'user: hello')
  const together = await Promise.all(Array.from({ length: 10 }, () => ask('[svc fail=429; times=3]\nhi', session)))
  t.equal(together.filter(({ status }) => status === 429).length, 3, 'requests at once are counted one by one')
  await post('/_svc/reset', { kinds: ['llm'] }, session)
  t.strictSame(await statuses('[svc fail=429; times=2]\nhello', session, 3), [429, 429, 200], 'reset')
  await ask('[svc fail=429; times=1]\nother', { ...session, 'X-Svc-Fail': '503' })
  t.equal((await ask('[svc fail=429; times=1]\nother', session)).status, 429, 'a fault of a header does not count')
})

t.test('it acts while its message is newer than the last one of the assistant', async t => {
  const talk = (items: string, ...later: object[]): Promise<Asked> =>
    post(CHAT, { model: 'svc-gpt', messages: [{ role: 'user', content: `[svc ${items}]\nhello` }, ...later] })
  const called = {
    role: 'assistant',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
  }
  const loop = [called, { role: 'tool', tool_call_id: 'a', content: 'x' }]
  t.equal((await talk('fail=429')).status, 429)
  const later = await talk('fail=429', ...loop)
  t.equal(later.status, 200)
  t.equal(later.headers.get('x-svc-directive'), null)
  t.equal((await talk('fail=429; turn=any', ...loop)).status, 429)
  t.equal((await talk('fail=429; turn=1', ...loop)).status, 429)
  t.equal((await talk('fail=429; turn=1')).status, 200)
  t.equal((await talk('fail=429; turn=2', ...loop)).status, 200)
  t.equal((await talk('fial=429', ...loop)).status, 200, 'a wrong one is reported while it is new')
  const system = (content: string, ...messages: object[]): Promise<Asked> =>
    post(CHAT, { model: 'svc-gpt', messages: [{ role: 'system', content }, ...messages] }, { 'X-Svc-Mode': 'echo' })
  const user = { role: 'user', content: 'hello' }
  t.equal((await system('Be brief.\n[svc fail=429]', user)).status, 429)
  t.equal((await system('[svc fail=429]', user, { role: 'assistant', content: 'a' }, user)).status, 200)
  t.equal((await system('[svc fail=429; turn=any]', user, { role: 'assistant', content: 'a' }, user)).status, 429)
  const both = await system('[svc reply=system; fail=500]', { role: 'user', content: '[svc fail=429]\nhello' })
  t.equal(both.status, 429, "the user's items win")
  t.equal(both.headers.get('x-svc-directive'), 'fail=429; reply=system; fail=500')
  const seen = await system('Be brief.\n[svc tps=0]', user)
  t.match(contentOf(seen), /^system: Be brief\.\nuser: hello$/m)
})

t.test('what wins: header, then directive, then rules and the provider [STR-36]', async t => {
  const session = newSession()
  t.equal(contentOf(await ask('[svc reply=a]\nhello', { 'X-Svc-Reply': 'b' })), 'b')
  t.equal(contentOf(await ask('[svc reply-json={"text":"a"}]\nhello', { 'X-Svc-Reply': 'b' })), 'b', 'of any reply')
  t.equal((await ask('[svc fail=429]\nhello', { 'X-Svc-Fail': '503' })).status, 503)
  t.equal((await ask('[svc fail=429]\nhello', {}, {}, `${CHAT}?fail=503`)).status, 503)
  await post('/_svc/rules', { name: 'down', match: { llm: {} }, then: { fail: 500 } }, session)
  t.equal((await ask('hello', session)).status, 500)
  t.equal((await ask('[svc fail=429]\nhello', session)).status, 429)
  const SHAKY = '/ai/shaky/v1/chat/completions'
  t.equal((await ask('hello', {}, {}, SHAKY)).status, 503)
  t.equal((await ask('[svc fail=429]\nhello', {}, {}, SHAKY)).status, 429)
  t.equal((await ask('[svc tps=0]\nhello', {}, {}, SHAKY)).status, 503, 'the fault of the provider is left')
  t.equal((await ask('see [svc x] there', {}, {}, SHAKY)).status, 503, 'without a directive too')
  const refused = await ask('[svc validation=enforce]\nhello', { 'X-Svc-Validation': 'off' }, { stop: [1, 2, 3, 4, 5] })
  t.equal(refused.headers.get('x-svc-validation'), 'off')
})

t.test('a fault says that a directive asked for it', async t => {
  const session = newSession()
  const failed = await ask('[svc fail=429]\nhello', session)
  t.equal(failed.headers.get('x-svc-fault'), 'ai')
  t.equal(failed.headers.get('access-control-expose-headers'), null)
  const exposed = await ask('[svc tps=0]\nhello', { Origin: 'http://page.example' })
  t.match(exposed.headers.get('access-control-expose-headers'), 'X-Svc-Directive')
  const { requests } = (await (
    await fetch(`${server.url}/_svc/requests?session=${session['X-Svc-Session']}`)
  ).json()) as { requests: object[] }
  t.match(requests[0], { fault_source: 'directive: fail=429', fault_origin: 'directive' })
})

t.test('wrong items are errors that name the member with the texts [STR-37]', async t => {
  const cases: [items: string, problem: string][] = [
    ['fail=429; fail=500', 'fail is given twice'],
    ['fail', 'fail has no value'],
    ['fail=999', 'fail: expected a kind of failure or a status, optionally with :<percent>'],
    ['latency=soon', 'latency: expected a whole number from 0 to 999999999'],
    ['jitter=101', 'jitter: expected a whole number from 0 to 100'],
    ['mode=loud', 'mode: expected canned, echo, scripted or random'],
    ['profile=quick', 'profile: unknown profile "quick"'],
    ['reply-json=[]', 'reply-json: expected a JSON object, or base64url of it'],
    ['reply-json={"txt":"a"}', 'reply-json: txt: unknown key "txt" (did you mean "text"?)'],
    ['size=words=3', 'size: expected bytes=<n> with 1 to 4194304, or tokens=<n> with 1 to 200000'],
    ['shape=spiral', 'shape: unknown item spiral'],
    ['validation=strict', 'validation: unknown level "strict"'],
    ['context=0', 'context: expected a whole number from 1 to 1000000000'],
    ['cached=-1', 'cached: expected a whole number from 0 to 999999999'],
    ['expect={"methd":"POST"}', 'expect: '],
    ['retry-after=soon; fail=429', 'retry-after: expected a whole number from 0 to 86400'],
    ['times=2', 'times needs another item'],
    ['times=0; fail=429', 'times: expected a whole number from 1 to 1000'],
    ['turn=last; fail=429', 'turn: expected any or a number'],
    ['reply="a', 'the value of reply does not end'],
    ['hello world', 'unknown name hello world'],
  ]
  for (const [items, problem] of cases) {
    const { status, text } = await ask(`[svc ${items}]\nhello`)
    t.equal(status, 400, items)
    const { error } = JSON.parse(text) as { error: { message: string; param: string; type: string } }
    t.ok(error.message.startsWith(`[svc …]: ${problem}`), `${items}: ${error.message}`)
    t.match(error, { param: 'messages', type: 'invalid_request_error' }, items)
  }
})

t.test('expect compares the request, as the header does', async t => {
  const met = await ask('[svc expect={"method":"POST"}]\nhello')
  t.equal(met.status, 200)
  t.equal(met.headers.get('x-svc-expectation'), 'met')
  const failed = await ask('[svc expect={"llm":{"model":"other"}}]\nhello')
  t.equal(failed.status, 417)
  t.equal(failed.headers.get('x-svc-expectation'), 'failed')
  t.match(JSON.parse(failed.text), { error: 'expectation_failed', differences: [{ at: 'llm.model' }] })
  const byHeader = await ask('[svc expect={"method":"GET"}]\nhello', { 'X-Svc-Expect': '{"method":"POST"}' })
  t.equal(byHeader.status, 200, 'the header wins')
})

t.test('batches and sockets have directives', async t => {
  const item = (custom_id: string, content: string): string =>
    JSON.stringify({
      custom_id,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'svc-gpt', messages: [{ role: 'user', content }] },
    })
  const form = new FormData()
  form.set('purpose', 'batch')
  const lines = [item('a', '[svc fail=429]\nhello'), item('b', '[svc latency=60000; reply=Yes]\nhello')]
  form.set('file', new File([lines.join('\n')], 'batch.jsonl'))
  const file = (await (await fetch(`${server.url}/ai/openai/v1/files`, { method: 'POST', body: form })).json()) as {
    id: string
  }
  const batch = JSON.parse(
    (
      await post(
        '/ai/openai/v1/batches',
        { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
        { 'X-Svc-Batch': '0s' },
      )
    ).text,
  ) as { id: string }
  let done: { status: string; output_file_id?: string; error_file_id?: string }
  do done = (await (await fetch(`${server.url}/ai/openai/v1/batches/${batch.id}`)).json()) as typeof done
  while (done.status !== 'completed')
  const contents = async (id: string | undefined): Promise<string> =>
    id === undefined ? '' : (await fetch(`${server.url}/ai/openai/v1/files/${id}/content`)).text()
  const results = (await contents(done.output_file_id)) + (await contents(done.error_file_id))
  t.match(results, '"status_code":429')
  t.match(results, '"content":"Yes"')

  const socket = await connectJson(t, `${server.url}/ai/openai/v1/responses`)
  socket.send({ type: 'response.create', model: 'svc-gpt', input: '[svc reply=Over a socket]\nhello' })
  t.match(JSON.stringify(await socket.next('response.completed')), 'Over a socket')
})

t.test('directives can be switched off, and have the bounds of public mode', async t => {
  const text = '[svc reply=Yes]'
  const body = { model: 'svc-echo', messages: [{ role: 'user', content: text }] }
  for (const options of [{ env: { SVC_AI_DIRECTIVES: 'false' } }, { yaml: 'llm: { directives: false }\n' }]) {
    const plain = await serveLlm(t, options)
    const reply = await fetch(plain.url + CHAT, { method: 'POST', body: JSON.stringify(body) })
    t.equal(reply.headers.get('x-svc-directive'), null)
    t.match(await reply.text(), 'user: [svc reply=Yes]', 'the line is text')
  }
  const open = await serveLlm(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  const asked = async (content: string): Promise<Response> =>
    fetch(open.url + CHAT, {
      method: 'POST',
      headers: { 'X-Svc-Session': 'one' },
      body: JSON.stringify({ ...body, messages: [{ role: 'user', content }] }),
    })
  t.match(await (await asked('[svc size=bytes=65537]')).text(), 'bytes=<n> with 1 to 65536')
  const counted = async (line: number): Promise<number> => (await asked(`[svc fail=429; times=1; tps=${line}]`)).status
  for (let line = 0; line < 21; line++) t.equal(await counted(line), 429)
  t.equal(await counted(20), 200)
  t.equal(await counted(0), 429, 'a session has 20 counters: this one was the oldest')
})

t.test('captured requests with directives have a tag', async t => {
  const session = 'directive-tags'
  await ask('[svc fail=429]\nhello', { 'X-Svc-Session': session })
  await ask('[svc validation=warn]\nhello', { 'X-Svc-Session': session }, { temperature: 9 })
  await ask('hello', { 'X-Svc-Session': session })
  const response = await fetch(`${server.url}/_svc/requests?session=${session}`)
  const { requests } = (await response.json()) as { requests: { tags: string[] }[] }
  t.strictSame(
    requests.map(({ tags }) => tags),
    [[], ['directive', 'violation:openai.range'], ['directive']],
  )
})
