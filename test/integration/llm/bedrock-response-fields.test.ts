/** `additionalModelResponseFieldPaths` of Converse: fields of the reply as the model's own format has them. */
import t from 'tap'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)

const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const messages = [{ role: 'user', content: [{ text: 'hello' }] }]
const thinking = { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } } }

const converse = (model: string, body: object, operation = 'converse'): Promise<Response> =>
  fetch(`${url}/ai/bedrock/model/${model}/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Svc-Profile': 'instant' },
    body: JSON.stringify({ messages, ...body }),
  })
const json = async (response: Promise<Response>): Promise<any> => (await response).json()

t.test('Claude has the fields of a message', async t => {
  const paths = ['/stop_sequence', '/usage/output_tokens_details/thinking_tokens', '/no/such/field', '/content/0/type']
  const body = await json(converse(CLAUDE, { additionalModelResponseFieldPaths: paths, ...thinking }))
  t.strictSame(Object.keys(body.additionalModelResponseFields), ['stop_sequence', 'usage', 'content'])
  t.match(body.additionalModelResponseFields, {
    stop_sequence: null,
    usage: { output_tokens_details: { thinking_tokens: Number } },
    content: { 0: { type: 'thinking' } },
  })
  t.ok(body.additionalModelResponseFields.usage.output_tokens_details.thinking_tokens > 0)
})

t.test('a whole member wins over what is below it', async t => {
  for (const paths of [
    ['/usage', '/usage/output_tokens'],
    ['/usage/output_tokens', '/usage'],
  ]) {
    const { additionalModelResponseFields: fields } = await json(
      converse(CLAUDE, { additionalModelResponseFieldPaths: paths }),
    )
    t.match(fields, { usage: { input_tokens: Number, output_tokens: Number } })
  }
})

t.test('other models have theirs', async t => {
  const of = async (model: string, path: string): Promise<any> =>
    (await json(converse(model, { additionalModelResponseFieldPaths: [path], ...thinking })))
      .additionalModelResponseFields
  t.match(await of('openai.gpt-oss-20b-1:0', '/usage/completion_tokens_details/reasoning_tokens'), {
    usage: { completion_tokens_details: { reasoning_tokens: Number } },
  })
  t.match(await of('amazon.nova-pro-v1:0', '/usage/outputTokens'), { usage: { outputTokens: Number } })
})

t.test('a stream has them in messageStop', async t => {
  const paths = { additionalModelResponseFieldPaths: ['/usage/output_tokens'] }
  const text = await (await converse(CLAUDE, paths, 'converse-stream')).text()
  t.match(text, /"stopReason":"end_turn","additionalModelResponseFields":\{"usage":\{"output_tokens":\d+\}\}/)
})

t.test('nothing is added without paths', async t => {
  for (const body of [{}, { additionalModelResponseFieldPaths: [] }])
    t.notOk('additionalModelResponseFields' in (await json(converse(CLAUDE, body))))
  t.strictSame(
    (await json(converse(CLAUDE, { additionalModelResponseFieldPaths: ['/nothing'] }))).additionalModelResponseFields,
    {},
  )
})

t.test('invalid paths are refused', async t => {
  for (const paths of [
    '/stop_sequence',
    ['stop_sequence'],
    [''],
    [7],
    ['/~2'],
    [`/${'x'.repeat(256)}`],
    Array(11).fill('/a'),
  ]) {
    const response = await converse(CLAUDE, { additionalModelResponseFieldPaths: paths })
    t.equal(response.status, 400)
    t.equal(response.headers.get('x-amzn-errortype'), 'ValidationException')
    t.match(await response.json(), { message: /additionalModelResponseFieldPaths/ })
  }
})

t.test('inherited members are not fields', async t => {
  const { additionalModelResponseFields: fields } = await json(
    converse(CLAUDE, { additionalModelResponseFieldPaths: ['/__proto__/polluted', '/constructor'] }),
  )
  t.strictSame(fields, {})
})
