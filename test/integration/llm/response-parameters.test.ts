/** Parameters of responses and conversations that are wrong. */
import t from 'tap'
import { connectJson } from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'
import { postJson } from '../../support/post-json.ts'

const FAST = { 'X-Svc-Tokens-Per-Second': '0' }

t.test('a parameter on which the state depends is not ignored if it is wrong [LLMN-150] [LLMN-153]', async t => {
  const { url } = await serveLlm(t)
  const responses = `${url}/ai/v1/responses`
  const { id } = (await postJson(`${url}/ai/v1/conversations`, {})).json
  const conversation = `${url}/ai/v1/conversations/${String(id)}`
  const wrong: [string, object, string, string | null][] = [
    [responses, { input: 'x', store: 'false' }, 'store', 'invalid_type'],
    [responses, { input: 'x', background: 1 }, 'background', 'invalid_type'],
    [responses, { input: 'x', previous_response_id: 5 }, 'previous_response_id', 'invalid_type'],
    [responses, { input: 'x', previous_response_id: '' }, 'previous_response_id', 'previous_response_not_found'],
    [responses, { input: 'x', conversation: {} }, 'conversation', 'invalid_type'],
    [responses, { input: 'x', include: ['reasoning.encrypted'] }, 'include[0]', 'invalid_value'],
    [responses, { input: 'x', include: 'reasoning.encrypted_content' }, 'include', 'invalid_type'],
    [`${responses}/input_tokens`, { input: 'x', conversation: [] }, 'conversation', 'invalid_type'],
    [
      `${responses}/compact`,
      { model: 'm', input: 'x', previous_response_id: {} },
      'previous_response_id',
      'invalid_type',
    ],
    [`${url}/ai/v1/conversations`, { metadata: 'x' }, 'metadata', 'invalid_type'],
    [`${url}/ai/v1/conversations`, { metadata: [] }, 'metadata', 'invalid_type'],
    [conversation, { metdata: {} }, 'metadata', 'missing_required_parameter'],
  ]
  for (const [target, body, param, code] of wrong)
    t.match(await postJson(target, body), { status: 400, json: { error: { param, code } } }, JSON.stringify(body))
  t.equal((await postJson(responses, { input: 'x', conversation: '' })).status, 404)
  t.match(
    await postJson(
      responses,
      { input: 'x', store: null, background: null, include: null, previous_response_id: null },
      FAST,
    ),
    { status: 200, json: { store: true, background: false } },
  )
  t.match(await postJson(conversation, { metadata: null }), { status: 200, json: { metadata: {} } })
})

t.test('penalties are echoed [LLMN-150]', async t => {
  const { url } = await serveLlm(t)
  const given = { presence_penalty: 0.5, frequency_penalty: -0.25 }
  t.match((await postJson(`${url}/ai/v1/responses`, { input: 'x', ...given }, FAST)).json, given)
  t.match((await postJson(`${url}/ai/v1/responses`, { input: 'x' }, FAST)).json, {
    presence_penalty: 0,
    frequency_penalty: 0,
  })
})

t.test('a stream_id is a text [LLMN-155]', async t => {
  const { url } = await serveLlm(t)
  const socket = await connectJson(t, `${url}/ai/v1/responses`, { headers: FAST })
  for (const stream_id of [5, {}, '', 'x'.repeat(201)]) {
    socket.send({ type: 'response.create', input: 'x', stream_id })
    t.match(await socket.next('error'), { status: 400, error: { param: 'stream_id' } })
  }
})

t.test('a chain has at most 200 responses [LLMN-151]', async t => {
  const { url } = await serveLlm(t)
  let previous: unknown = null
  const next = (): ReturnType<typeof postJson> =>
    postJson(
      `${url}/ai/v1/responses`,
      { model: 'svc-gpt', input: 'x', max_output_tokens: 1, previous_response_id: previous },
      FAST,
    )
  for (let made = 0; made < 200; made++) previous = (await next()).json.id
  t.equal(typeof previous, 'string')
  t.match(await next(), { status: 400, json: { error: { code: 'context_length_exceeded' } } })
})
