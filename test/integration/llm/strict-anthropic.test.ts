/** What the Messages API refuses, rule by rule, at Anthropic and on Vertex AI. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import {
  MESSAGES_CASES,
  answered,
  asked,
  error,
  hello,
  mark,
  result,
  thinking,
  tool,
  user,
  version,
  withMessages,
} from '../../support/strict-cases/anthropic.ts'
import { checkRules, type RuleCase } from '../../support/strict.ts'

const server = await serveLlm(t, { env: { SVC_BODY_LIMIT: '16777216' } })

interface Reply {
  content: Record<string, unknown>[]
}

t.test('messages', async t => {
  const suite = { url: server.url, path: '/ai/anthropic/v1/messages', flavour: 'anthropic', headers: version }
  await checkRules(t, {
    ...suite,
    apart: ['anthropic.request-size', 'anthropic.thinking-bound', 'anthropic.version'],
    cases: MESSAGES_CASES,
  })
})

/** The cases as another platform has them: without a model in the body, and without a header for beta features. */
function casesWith(version: object, pathOf: (model: string) => string): RuleCase[] {
  const moved = (given: object): { body: object; path: string } => {
    const { model, ...body } = given as { model: string }
    return { body: { ...version, ...body }, path: pathOf(model.slice(model.lastIndexOf('/') + 1)) }
  }
  return MESSAGES_CASES.filter(
    ({ headers, validHeaders }) => headers === undefined && validHeaders === undefined,
  ).flatMap(one => {
    const [wrong, valid] = [moved(one.body), moved(one.valid)]
    return [{ ...one, ...wrong, valid: valid.body, validPath: valid.path }]
  })
}

t.test('Claude on Vertex AI: the same rules', t =>
  checkRules(t, {
    url: server.url,
    path: '',
    flavour: 'anthropic-vertex',
    apart: ['anthropic.beta', 'anthropic.budget-max', 'anthropic.thinking-bound', 'vertex.model-field'],
    cases: casesWith(
      { anthropic_version: 'vertex-2023-10-16' },
      model => `/ai/anthropic/v1/projects/p/locations/l/publishers/anthropic/models/${model}:rawPredict`,
    ),
  }),
)

t.test('Claude on Bedrock: the same rules in the words of Bedrock [STR-19]', t =>
  checkRules(t, {
    url: server.url,
    path: '',
    flavour: 'bedrock-invoke',
    apart: ['anthropic.beta', 'anthropic.budget-max', 'anthropic.thinking-bound', 'invoke.extraneous'],
    cases: casesWith(
      { anthropic_version: 'bedrock-2023-05-31' },
      model => `/ai/bedrock/model/anthropic.${model}-v1:0/invoke`,
    ).map(one => ({ ...one, error: { message: (one.error as { error: { message: unknown } }).error.message } })),
  }),
)

t.test('the header with the version', async t => {
  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${server.url}/ai/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'X-Svc-Validation': 'enforce', ...headers },
      body: JSON.stringify({ ...hello, n: 1 }),
    })
  t.match(await (await ask({})).json(), error('anthropic-version: header is required'), 'the head is first')
  t.match(await (await ask(version)).json(), error('n: Extra inputs are not permitted'))
})

t.test('token counting is checked, without the rules of limits', async t => {
  const { max_tokens: _, ...counted } = hello
  const count = (body: object): Promise<Response> =>
    fetch(`${server.url}/ai/anthropic/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'X-Svc-Validation': 'enforce', ...version },
      body: JSON.stringify(body),
    })
  t.equal((await count({ ...counted, thinking })).status, 200)
  t.equal((await count({ ...counted, messages: [answered] })).status, 400)
})

t.test('on Vertex AI the model is in the path, and fewer beta features exist', async t => {
  const ask = async (body: object, headers: Record<string, string> = {}): Promise<[number, string | null]> => {
    const path = '/ai/anthropic/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-4-7:rawPredict'
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'X-Svc-Validation': 'enforce', ...headers },
      body: JSON.stringify({ anthropic_version: 'vertex-2023-10-16', ...body }),
    })
    return [response.status, response.headers.get('x-svc-violations')]
  }
  const { model: _, ...valid } = hello
  t.strictSame(await ask(valid), [200, null])
  t.strictSame(await ask(hello), [400, 'vertex.model-field'])
  t.strictSame(await ask({ ...valid, temperature: 0 }), [400, 'anthropic.sampling'])
  t.strictSame(await ask(valid, { 'anthropic-beta': 'files-api-2025-04-14' }), [400, 'anthropic.beta'])
})

t.test('anthropic.thinking-bound: thinking is read after what it came after only [STR-24]', async t => {
  const post = async (
    path: string,
    body: object,
    reply?: object,
  ): Promise<{ violations: string | null; body: Reply }> => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: {
        ...version,
        'X-Svc-Validation': 'enforce',
        'X-Svc-Tokens-Per-Second': '0',
        ...(reply === undefined ? {} : { 'X-Svc-Reply-Json': JSON.stringify(reply) }),
      },
      body: JSON.stringify(body),
    })
    return { violations: response.headers.get('x-svc-violations'), body: (await response.json()) as Reply }
  }
  const vertex = '/ai/anthropic/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5-5:rawPredict'
  const invoke = '/ai/bedrock/model/anthropic.claude-opus-5-5-v1:0/invoke'
  const messages = '/ai/anthropic/v1/messages'
  const bodies: [path: string, more: object][] = [
    [messages, { model: 'claude-opus-5-5' }],
    [vertex, { anthropic_version: 'vertex-2023-10-16' }],
    [invoke, { anthropic_version: 'bedrock-2023-05-31' }],
  ]
  for (const [path, more] of bodies) {
    const base = { ...more, max_tokens: 999, system: 'Be brief.', tools: [tool] }
    const first = { role: 'user', content: 'hello\n[svc turn=any; latency=1]' }
    const blocks = [
      { reasoning: 'Hm.' },
      { text: 'One moment.' },
      { redacted: 'Secret.' },
      { tool_call: { name: 'look_up', args: { b: 1, a: [2] }, id: 'toolu_1' } },
      { reasoning: 'Or not.' },
    ]
    const { body: reply } = await post(path, { ...base, messages: [first] }, { blocks })
    t.equal(reply.content.length, 5, path)
    const said = { role: 'assistant', content: reply.content }
    const next = (changed: object = {}, ...others: object[]): object => ({
      ...base,
      messages: others.length === 0 ? [first, said, answered] : others,
      ...changed,
    })
    const refused = async (body: object): Promise<string | null> => (await post(path, body)).violations
    t.equal(await refused(next()), null, 'as it came')
    const [thoughtBlock, textBlock, redacted, call, last] = reply.content
    const same = next(
      { system: [{ type: 'text', text: 'Be brief.', ...mark() }], tools: [{ ...tool, ...mark() }] },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [thoughtBlock, textBlock] },
      { role: 'assistant', content: [redacted, { ...call, input: { a: [2], b: 1 } }, last] },
      { role: 'user', content: [{ ...result, ...mark() }] },
    )
    t.equal(await refused(same), null, 'the same in other JSON, with marks and without the directive')
    t.equal(
      await refused(next({}, first, { role: 'assistant', content: [textBlock, call] }, answered)),
      null,
      'no thinking',
    )
    const bound = 'anthropic.thinking-bound'
    t.equal(await refused(next({ system: 'Be long.' })), bound, 'another system text')
    t.equal(await refused(next({ tools: [tool, { ...tool, name: 'other' }] })), bound, 'another tool')
    t.equal(await refused(next({}, { role: 'user', content: 'hi' }, said, answered)), bound, 'another message')
    const moved = { role: 'assistant', content: [textBlock, thoughtBlock, call] }
    t.equal(await refused(next({}, first, moved, answered)), bound, 'the block is elsewhere')
    const dropped = { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } }
    t.equal(await refused(next({ ...dropped, system: 'Be long.' })), null, 'the request takes the loss')
    if (path !== messages) continue
    const { body } = await post(path, next({ system: 'Be long.' }))
    t.match(
      body,
      error(
        /^messages\.1\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conv/,
      ),
    )
    t.equal(await refused(next({ model: 'claude-sonnet-4-6', system: 'Be long.' })), null, 'a model that does not bind')
  }
})

t.test('messages in a row of one role are one turn [STR-17]', async t => {
  const body = withMessages(user, asked, user, answered, { role: 'assistant', content: 'ok' }, user)
  const response = await fetch(`${server.url}/ai/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'X-Svc-Validation': 'enforce', ...version },
    body: JSON.stringify(body),
  })
  t.equal(response.status, 200)
})

t.test(
  'anthropic.request-size: the vendor refuses it before all else, where the server lets it in [STR-18]',
  async t => {
    const wide = await serveLlm(t, { env: { SVC_BODY_LIMIT: String(40 * 1024 * 1024) } })
    const ask = async (bytes: number, level: string): Promise<Response> => {
      const body = JSON.stringify({ ...hello, n: 2, messages: [{ role: 'user', content: '' }] })
      const size = bytes - body.length
      const response = await fetch(`${wide.url}/ai/anthropic/v1/messages`, {
        method: 'POST',
        headers: { ...version, 'X-Svc-Validation': level, 'X-Svc-Tokens-Per-Second': '0' },
        body: body.replace('"content":""', `"content":"${'a'.repeat(size)}"`),
      })
      return response
    }
    const maximum = 32 * 1024 * 1024
    const refused = await ask(maximum + 1, 'enforce')
    t.equal(refused.status, 413)
    t.match(await refused.json(), {
      type: 'error',
      error: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
      request_id: /^req_/,
    })
    t.equal(refused.headers.get('x-svc-violations'), 'anthropic.request-size, anthropic.unknown-field')
    const other = await ask(maximum, 'enforce')
    t.strictSame([other.status, other.headers.get('x-svc-violations')], [400, 'anthropic.unknown-field'])
    const { limits } = (await (await fetch(`${wide.url}/ai/validation?flavour=anthropic`)).json()) as {
      limits: object[]
    }
    t.match(limits, [{ flavour: 'anthropic', value: '32 MB', sources: [{ kind: 'reference' }] }, {}, {}])
  },
)
