/** How strictly requests are checked: by header, rule, provider and server; and what shows the violations. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { connectJson } from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'
import { slowness } from '../../support/reference-loop.ts'

const server = await serveLlm(t, {
  yaml: `llm:
  validation: { level: warn, except: [openai.max-both] }
  builtin:
    azure: { validation: enforce }
  providers:
    - { name: acme, format: openai, validation: { level: enforce, except: ["openai.schema-*"], also: [openai.max-both], fields: [acme_tier] } }
    - { name: lax, format: openai, validation: off }
    - { name: wider, format: openai, validation: { fields: [wide_one] } }
`,
})
const hello = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'hello' }] }
const orphan = { ...hello, messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] }
const both = { ...hello, max_tokens: 5, max_completion_tokens: 5 }

async function ask(
  body: object,
  headers: Record<string, string> = {},
  path = '/ai/openai/v1/chat/completions',
): Promise<{
  status: number
  level: string | null
  violations: string | null
  id: string
  body: Reply
  headers: Headers
}> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    level: response.headers.get('x-svc-validation'),
    violations: response.headers.get('x-svc-violations'),
    id: response.headers.get('x-svc-request-id')!,
    body: (text.startsWith('{') ? JSON.parse(text) : {}) as Reply,
    headers: response.headers,
  }
}
interface Reply {
  error?: { message: string; param: string | null; code: string | null }
}
const at = (name: string): string => `/ai/${name}/v1/chat/completions`

t.test('nothing changes for a request that violates nothing', async t => {
  const { status, level, violations } = await ask(hello)
  t.strictSame([status, level, violations], [200, null, null])
  const asked = await ask(hello, { 'X-Svc-Validation': 'enforce' })
  t.strictSame([asked.status, asked.level, asked.violations], [200, 'enforce', null], 'the requested level')
})

t.test('the first source of a level applies as a whole [STR-1]', async t => {
  t.strictSame((await ask(orphan)).violations, 'openai.tool-orphan', 'the server warns')
  t.equal((await ask(both)).violations, null, 'its exception')
  t.equal((await ask(both, { 'X-Svc-Validation': 'warn' })).violations, 'openai.max-both', 'the header has none')
  t.equal((await ask(orphan, {}, at('acme'))).status, 400, 'the provider')
  t.equal((await ask(both, {}, at('acme'))).status, 400, 'a rule that is not confirmed, where it is named')
  t.equal((await ask(both, { 'X-Svc-Validation': 'enforce' }, at('acme'))).status, 200, 'only there')
  const schema = { ...hello, tools: [{ type: 'function', function: { name: 'f', parameters: { properties: {} } } }] }
  t.strictSame(
    [(await ask(schema, {}, at('acme'))).status, (await ask(schema, {}, at('acme'))).violations],
    [200, null],
  )
  t.equal((await ask(orphan, {}, at('lax'))).violations, null)
  t.equal((await ask(orphan, { 'X-Svc-Validation': 'enforce' }, at('lax'))).status, 400)
})

t.test('a provider can take more members, at any depth [STR-3]', async t => {
  const wide = (name: string): object => ({ ...hello, [name]: 1, messages: [{ ...hello.messages[0], [name]: 1 }] })
  t.equal((await ask(wide('acme_tier'), {}, at('acme'))).status, 200)
  t.equal((await ask(wide('acme_price'), {}, at('acme'))).status, 400)
  const { status, violations } = await ask(wide('wide_one'), {}, at('wider'))
  t.strictSame([status, violations], [200, null], 'without a level of its own')
  t.equal((await ask(orphan, {}, at('wider'))).violations, 'openai.tool-orphan')
})

t.test('a wrong header is an error, so that a typo does not look like a tolerant vendor [STR-2]', async t => {
  const wrong = async (value: string): Promise<string | undefined> => {
    const { status, body } = await ask(hello, { 'X-Svc-Validation': value })
    t.strictSame([status, body.error?.param], [400, 'X-Svc-Validation'])
    return body.error?.message
  }
  t.match(await wrong('enfroce'), 'did you mean "enforce"?')
  t.match(await wrong('strict'), 'write one of off, warn, enforce')
  t.match(await wrong('enforce; except=openai.tool-orfan'), 'did you mean "openai.tool-orphan"?')
  t.match(await wrong('enforce; exept=openai.range'), 'did you mean "except"?')
  t.match(await wrong('enforce; also=nothing.*'), 'unknown rule "nothing.*"')
  const spaced = ' enforce ;except = openai.tool-* openai.range; also=openai.max-both '
  t.equal((await ask(orphan, { 'X-Svc-Validation': spaced })).status, 200)
})

t.test('several violations: the refusal is that of the first, by phase, rule and place [STR-8]', async t => {
  const body = {
    ...hello,
    model: 'gpt-5',
    max_tokens: 5,
    two: 2,
    one: 1,
    messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }],
  }
  const { status, violations, body: reply } = await ask(body, { 'X-Svc-Validation': 'enforce' })
  t.equal(status, 400)
  t.equal(violations, 'openai.unknown-field, openai.max-tokens-reasoning, openai.tool-orphan')
  t.equal(reply.error?.param, 'two')
  const later = await ask(body, { 'X-Svc-Validation': 'enforce; except=openai.unknown-field openai.max-*' })
  t.equal(later.violations, 'openai.tool-orphan')
})

t.test('a refusal is plain JSON on streams, and no fault; a fault wins over it [STR-7]', async t => {
  const stream = { ...orphan, stream: true }
  const refused = await ask(stream, { 'X-Svc-Validation': 'enforce' })
  t.match(refused.headers.get('content-type'), 'application/json')
  t.equal(refused.headers.get('x-svc-fault'), null)
  t.notMatch(refused.body.error?.message, 'simulated')
  const warned = await ask(stream)
  t.strictSame([warned.status, warned.violations], [200, 'openai.tool-orphan'])
  t.equal((await ask(orphan, { 'X-Svc-Validation': 'enforce', 'X-Svc-Fail': '503' })).status, 503)
})

t.test('records show what was found, and can be filtered by it [STR-10]', async t => {
  const session = 'strict-records'
  const headers = { 'X-Svc-Session': session, 'X-Svc-Validation': 'enforce' }
  const { id } = await ask(orphan, headers)
  await ask(hello, headers)
  const read = async (path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${server.url}/ai/requests${path}`)).json()) as Record<string, unknown>
  t.match(await read(`/${id}`), {
    validation: 'enforce',
    violations: [
      {
        rule: 'openai.tool-orphan',
        at: 'messages.[0].role',
        message: /^Invalid parameter: messages with role 'tool'/,
        confidence: 'reported',
        refused: true,
      },
    ],
  })
  t.match(await read(`?session=${session}&violation=openai.tool-*`), {
    count: 1,
    requests: [{ request_id: id, violations: ['openai.tool-orphan'] }],
  })
  t.match(await read(`?session=${session}&violation=openai.range`), { count: 0 })
})

t.test('metrics count violations and refusals by rule [STR-39]', async t => {
  await ask({ ...hello, temperature: 9 }, { 'X-Svc-Validation': 'enforce' })
  const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.match(metrics, /svc_llm_refused_total\{rule="openai\.range"\} 1/)
  t.match(metrics, /svc_llm_violations_total\{rule="openai\.range"\} 1/)
})

async function control(
  method: string,
  path: string,
  body?: object,
  session?: string,
): Promise<{ status: number; body: never }> {
  const response = await fetch(`${server.url}${session === undefined ? '' : `/s/${session}`}/_svc${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json().catch(() => null)) as never }
}

t.test('a rule sets the level of a session, and looks at violations', async t => {
  const session = 'strict-rules'
  const headers = { 'X-Svc-Session': session }
  const name = 'strict-here'
  const strict = { name, match: { llm: {} }, then: { llm: { validation: 'enforce' } } }
  const stored = await control('POST', '/rules', strict, session)
  t.equal(stored.status, 201, JSON.stringify(stored.body))
  const { status, level } = await ask(orphan, headers)
  t.strictSame([status, level], [400, 'enforce'])
  t.equal((await ask(orphan, { ...headers, 'X-Svc-Validation': 'off' })).status, 200, 'the header wins')
  t.equal((await ask(orphan)).status, 200, 'another session')
  await control('DELETE', '/rules', undefined, session)

  const seeing = {
    name: 'seen',
    match: { llm: { violation: 'openai.tool-*' } },
    then: { reply: { text: 'I saw it.' }, llm: { validation: 'off' } },
  }
  t.equal((await control('POST', '/rules', seeing, session)).status, 201)
  const seen = await ask(orphan, headers)
  t.match(seen.body, { choices: [{ message: { content: 'I saw it.' } }] })
  t.strictSame([seen.level, seen.violations], ['off', null])
  t.notMatch((await ask(hello, headers)).body, { choices: [{ message: { content: 'I saw it.' } }] })
})

t.test('captured requests are verified by their violations [STR-11]', async t => {
  const session = 'strict-captured'
  await ask(hello, { 'X-Svc-Session': session })
  const verify = (rest: object): Promise<{ status: number; body: never }> =>
    control('POST', '/verify', { session, match: { llm: { violation: { exists: true } } }, ...rest })
  const none = await verify({ none: true })
  t.equal(none.status, 200, JSON.stringify(none.body))
  await ask(orphan, { 'X-Svc-Session': session, 'X-Svc-Validation': 'off' })
  const some = await verify({ exactly: 1 })
  t.equal(some.status, 200, JSON.stringify(some.body))
})

async function captured(query: string): Promise<{ request_id: string; tags: string[] }[]> {
  const response = await fetch(`${server.url}/_svc/requests?${query}`)
  t.equal(response.status, 200)
  return ((await response.json()) as { requests: { request_id: string; tags: string[] }[] }).requests
}

t.test('captured requests have the violated rules as tags, and can be found by them', async t => {
  const session = 'strict-tags'
  const headers = { 'X-Svc-Session': session }
  const refused = await ask({ ...orphan, temperature: 9 }, { ...headers, 'X-Svc-Validation': 'enforce' })
  const warned = await ask(orphan, headers)
  await ask(hello, headers)
  const all = await captured(`session=${session}`)
  t.strictSame(
    all.map(({ tags }) => tags),
    [
      [],
      ['violation:openai.tool-orphan'],
      ['refused:openai.range', 'violation:openai.range', 'violation:openai.tool-orphan'],
    ],
  )
  const idsOf = async (tag: string): Promise<string[]> =>
    (await captured(`session=${session}&tag=${tag}`)).map(({ request_id: id }) => id)
  t.strictSame(await idsOf('violation:openai.tool-orphan'), [warned.id, refused.id])
  t.strictSame(await idsOf('refused:*'), [refused.id])
  t.strictSame(await idsOf('violation:openai.tool'), [], 'a tag is compared as a whole')
})

t.test('what was found on arrival counts, also for bodies that are not kept whole', async t => {
  const session = 'strict-large'
  const long = { role: 'user', content: 'x'.repeat(100_000) }
  await ask({ ...orphan, messages: [...orphan.messages, long] }, { 'X-Svc-Session': session })
  const verify = (match: object, rest: object): Promise<{ status: number; body: never }> =>
    control('POST', '/verify', { session, match: { llm: match }, ...rest })
  t.equal((await verify({ violation: 'openai.tool-*' }, { exactly: 1 })).status, 200)
  t.equal((await verify({ violation: 'openai.range' }, { none: true })).status, 200)
  await control('DELETE', `/requests?session=${session}`)
  await ask(both, { 'X-Svc-Session': session })
  await ask(orphan, { 'X-Svc-Session': session, 'X-Svc-Validation': 'warn; except=openai.tool-*' })
  const none = await verify({ violation: { exists: true } }, { none: true })
  t.equal(none.status, 200, `exceptions of the server and of a header: ${JSON.stringify(none.body)}`)
})

t.test('a step that fails cannot also say how strict the check is [STR-4]', async t => {
  const { status, body } = await control('POST', '/rules', {
    match: { llm: {} },
    then: { fail: 500, llm: { validation: 'off' } },
  })
  t.equal(status, 400)
  t.match(JSON.stringify(body), 'llm and fail cannot be combined')
  for (const llm of [
    {},
    { validation: 'strict' },
    { validation: { level: 'warn', except: ['openai.nothing'] } },
    { x: 1 },
  ])
    t.equal((await control('POST', '/rules', { match: { llm: {} }, then: { llm } })).status, 400)
})

t.test('items of batches are checked as well [STR-9]', async t => {
  const lines = [orphan, hello].map((body, index) =>
    JSON.stringify({ custom_id: `item-${index}`, method: 'POST', url: '/v1/chat/completions', body }),
  )
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', new Blob([lines.join('\n')]), 'input.jsonl')
  const base = `${server.url}/ai/openai/v1`
  const headers = { 'X-Svc-Validation': 'enforce', 'X-Svc-Batch': '0s' }
  const { id: input } = (await (await fetch(`${base}/files`, { method: 'POST', body: form })).json()) as { id: string }
  const created = (await (
    await fetch(`${base}/batches`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' }),
    })
  ).json()) as { id: string }
  const done = (await (await fetch(`${base}/batches/${created.id}`)).json()) as Record<string, string>
  t.match(done, { request_counts: { completed: 1, failed: 1 } })
  const errors = await (await fetch(`${base}/files/${done.error_file_id}/content`)).text()
  t.match(errors, "messages with role 'tool' must be a response")
})

t.test('messages on sockets are checked as well', async t => {
  const base = `${server.url}/ai/openai/v1`
  const open = { headers: { 'X-Svc-Validation': 'enforce', 'X-Svc-Tokens-Per-Second': '0' } }
  const { send, next } = await connectJson(t, `${base}/responses`, open)
  const input = [{ type: 'function_call_output', call_id: 'call_1', output: 'sunny' }]
  send({ type: 'response.create', model: 'gpt-4.1', input })
  t.match(await next('error'), {
    status: 400,
    error: {
      type: 'invalid_request_error',
      message: 'No tool call found for function call output with call_id call_1.',
    },
  })
  send({ type: 'response.create', model: 'gpt-4.1', input: 'hello' })
  t.match(await next('response.completed'), { response: { status: 'completed' } }, 'the socket stays open')

  // Realtime has no rules of a vendor, but its generations take the same step: a wrong level is an error.
  const wrong = { headers: { 'X-Svc-Validation': 'strict', 'X-Svc-Tokens-Per-Second': '0' } }
  const realtime = await connectJson(t, `${base}/realtime?model=svc-echo`, wrong)
  await realtime.next('session.created')
  realtime.send({ type: 'response.create', response: { output_modalities: ['text'] } })
  const answer = await realtime.until(({ type }) => type === 'error' || type === 'response.done')
  t.match(JSON.stringify(answer.at(-1)), 'X-Svc-Validation', 'the response says what is wrong')
})

t.test('the catalog says what is refused, and why [STR-38]', async t => {
  const read = async (path: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(`${server.url}/ai/validation${path}`)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  t.match((await read('?rule=openai.range')).body, {
    level: 'warn',
    rules: [{ rule: 'openai.range', phase: 'shape', confidence: 'reported', sources: [{ kind: 'reference' }] }],
  })
  t.match((await read('/openai.range')).body, { rule: 'openai.range' })
  t.match(await read('/openai.rnge'), { status: 404, body: { error: 'unknown_rule', did_you_mean: 'openai.range' } })
  t.match(await read('?flavor=openai'), { status: 400, body: { error: 'invalid_filter', parameter: 'flavor' } })
  t.match(await read('?confidence=sure'), { status: 400, body: { parameter: 'confidence' } })
  const index = (await (await fetch(`${server.url}/ai`)).json()) as { validation: string; providers: { id: string }[] }
  t.equal(index.validation, 'warn')
  t.match(
    index.providers.find(({ id }) => id === 'openai'),
    { flavours: ['openai', 'openai-responses'] },
  )
})

t.test('hostile bodies are checked without effort', async t => {
  const deep: Record<string, unknown> = { type: 'object' }
  let inner = deep
  for (let level = 0; level < 90; level++) inner = (inner.items = { type: 'array' }) as Record<string, unknown>
  const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, { type: 'array' }]))
  for (const [parameters, expected] of [
    [deep, 200],
    [{ type: 'object', properties: wide }, 400],
  ] as const) {
    const tools = [{ type: 'function', function: { name: 'f', parameters } }]
    t.equal((await ask({ ...hello, tools }, { 'X-Svc-Validation': 'enforce' })).status, expected)
  }
  const members = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${index}`, 1]))
  const { violations } = await ask({ ...hello, ...members })
  t.equal(violations, 'openai.unknown-field')
  const long = await ask({ ...hello, ['m'.repeat(300_000)]: 1 }, { 'X-Svc-Validation': 'enforce' })
  t.equal(long.status, 400)
  t.ok(JSON.stringify(long.body).length < 2000, 'a long name is not repeated as a whole')
})

t.test('what is kept and shown of a request is bounded [STR-40]', async t => {
  const tools = Array.from({ length: 2 }, (_, index) => ({
    type: 'function',
    function: { name: `bad name ${index}`, parameters: { type: 'string' } },
  }))
  const { violations, id } = await ask({
    ...hello,
    model: 'o3',
    tools,
    stop: ['1', '2', '3', '4', '5'],
    n: 500,
    extra: 1,
    top_logprobs: 1,
    metadata: { key: 'x'.repeat(600) },
    response_format: { type: 'json_object' },
    stream_options: {},
    max_tokens: 5,
    max_completion_tokens: 5,
    messages: [{ role: 'system' }, ...Array.from({ length: 20 }, () => orphan.messages[0])],
  })
  const shown = violations!.split(', ')
  t.equal(shown.length, 11, violations!)
  t.match(shown.at(-1), /^\+\d+$/, 'ten rules, and how many more')
  const record = (await (await fetch(`${server.url}/ai/requests/${id}`)).json()) as { violations: object[] }
  t.equal(record.violations.length, 20)
  const list = (length: number): string => Array.from({ length }, () => 'openai.range').join(' ')
  t.equal((await ask(hello, { 'X-Svc-Validation': `warn; except=${list(50)}` })).status, 200)
  const long = await ask(hello, { 'X-Svc-Validation': `warn; except=${list(51)}` })
  t.strictSame([long.status, long.body.error?.param], [400, 'X-Svc-Validation'])
  t.match(long.body.error?.message, 'except has more than 50 rules')
})

t.test('the time of a check grows with the conversation, and not with its square', async t => {
  const time = async (length: number): Promise<number> => {
    const input = Array.from({ length }, (_, index) => ({ type: 'reasoning', id: `rs_${index}`, summary: [] }))
    const before = process.cpuUsage()
    const { violations } = await ask({ model: 'gpt-5', input }, {}, '/ai/openai/v1/responses')
    const { user, system } = process.cpuUsage(before)
    t.equal(violations, 'responses.reasoning-alone')
    return (user + system) / 1000 / slowness()
  }
  await time(1000)
  const taken = await time(8000)
  t.ok(taken < 1000, `${Math.round(taken)} ms`)
})

t.test('mistakes in svc.yaml are reported [STR-6]', async t => {
  const broken = await serveLlm(t, {
    yaml: `llm:
  validation: { level: warn, except: [openai.nothing] }
  providers:
    - { name: acme, format: openai, validation: { also: [openai.rnge] } }
`,
  })
  const status = JSON.stringify(await (await fetch(`${broken.url}/_svc/plugins`)).json())
  t.match(status, 'llm.validation.except[0]')
  t.match(status, 'llm.providers[0].validation.also[0]')
})

t.test('the examples of the page are rules, with their texts', async t => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'validation.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z-]+)` \| [^|]+ \| (.+) \|$/gm)]
  t.equal(rows.length, 10)
  for (const [, id = '', shown = ''] of rows) {
    const rule = (await (await fetch(`${server.url}/ai/validation/${id}`)).json()) as {
      message: string
      forms?: Record<string, { message: string }>
    }
    const templates = [rule.message, ...Object.values(rule.forms ?? {}).map(({ message }) => message)]
    const [start = ''] = shown.split('…')
    const fits = templates.some(template => {
      const pattern = template.split(/\{[a-z_]+\}/).map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      const whole = new RegExp(`^${pattern.join('.*')}$`, 's')
      return shown.includes('…')
        ? template.split('{')[0]!.startsWith(start.trim()) || start.startsWith(template.split('{')[0]!)
        : whole.test(shown)
    })
    t.ok(fits, `${id}: ${shown}`)
  }
})
