/** Reasoning in chat completions, in the member that servers of open models have for it. */
import t from 'tap'
import { serve } from '../../support/server.ts'

const { url } = await serve(t, {
  yaml: `llm:
  builtin: { openai: { reasoning_member: reasoning_content } }
  providers:
    - { name: router, format: openai, reasoning_member: reasoning }
    - { name: plain, format: openai }
    - { name: claude, format: anthropic, reasoning_member: reasoning_content }
`,
})

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Svc-Profile': 'instant', ...headers },
    body: JSON.stringify({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }], ...body }),
  })
const messageOf = async (response: Promise<Response>): Promise<any> =>
  ((await (await response).json()) as any).choices[0].message

for (const [path, member] of [
  ['/ai/openai/v1/chat/completions', 'reasoning_content'],
  ['/ai/v1/chat/completions', 'reasoning_content'],
  ['/ai/router/v1/chat/completions', 'reasoning'],
  ['/ai/claude/v1/chat/completions', 'reasoning_content'],
] as const)
  t.test(`${path} has ${member}, streamed too`, async t => {
    const complete = (await (await post(path, { reasoning_effort: 'low' })).json()) as any
    const { message } = complete.choices[0]
    t.match(message[member], /./)
    t.equal(message[member === 'reasoning' ? 'reasoning_content' : 'reasoning'], undefined)
    t.ok(complete.usage.completion_tokens_details.reasoning_tokens > 0)

    const events = await (await post(path, { reasoning_effort: 'low', stream: true })).text()
    const deltas = [...events.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!).choices[0]?.delta ?? {})
    t.equal(deltas.map(delta => delta[member] ?? '').join(''), message[member])
    t.equal(deltas.map(delta => delta.content ?? '').join(''), message.content)
    const lastOfReasoning = deltas.findLastIndex(delta => delta[member] !== undefined)
    t.ok(lastOfReasoning < deltas.findIndex(delta => delta.content), 'the reasoning comes first')
    t.equal((await messageOf(post(path, {})))[member], undefined, 'the request wants none')
  })

t.test('a request asks for it in the ways of clients', async t => {
  for (const body of [
    { reasoning: { effort: 'high' } },
    { reasoning: { enabled: true } },
    { reasoning: { max_tokens: 4 } },
    { thinking: { type: 'enabled' } },
    { chat_template_kwargs: { enable_thinking: true } },
  ])
    t.match((await messageOf(post('/ai/router/v1/chat/completions', body))).reasoning, /./, JSON.stringify(body))
  for (const body of [
    { reasoning_effort: 'none' },
    { reasoning: { effort: 'none' } },
    { thinking: { type: 'disabled' } },
  ])
    t.equal((await messageOf(post('/ai/router/v1/chat/completions', body))).reasoning, undefined, JSON.stringify(body))
})

t.test('without the option there is none', async t => {
  const message = await messageOf(post('/ai/plain/v1/chat/completions', { reasoning_effort: 'low' }))
  t.notOk('reasoning' in message || 'reasoning_content' in message)
})

t.test("a rule's reasoning is sent where the request asks for none", async t => {
  const reply = { 'X-Svc-Reply-Json': JSON.stringify({ reasoning: 'I think so.', text: 'Yes.' }) }
  t.match(await messageOf(post('/ai/openai/v1/chat/completions', {}, reply)), {
    reasoning_content: 'I think so.',
    content: 'Yes.',
  })
})
