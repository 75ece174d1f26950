/** What a provider of svc.yaml says about state: the plan of its batches, and whether it stores responses. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'

const yaml = `
llm:
  builtin:
    gemini: { store_responses: false }
  providers:
    - { name: slow, format: anthropic, batch: "60s, errors=10" }
    - { name: quick, format: anthropic, batch: "1ms, fail" }
    - { name: stateless, format: openai, store_responses: false }
    - { name: wrong, format: anthropic, batch: tomorrow }
`

const ask = async (
  url: string,
  body?: object,
  { method = body === undefined ? 'GET' : 'POST', headers = {} as Record<string, string> } = {},
): Promise<{ status: number; json: Record<string, unknown> }> => {
  const response = await fetch(url, {
    method,
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

const params = { model: 'claude-echo', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }

t.test('the plan of batches is that of the provider, unless the request has its own [LLMN-188]', async t => {
  const server = await serveLlm(t, { yaml })
  const create = async (provider: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> => {
    const batches = `${server.url}/ai/${provider}/v1/messages/batches`
    const { json } = await ask(batches, { requests: [{ custom_id: 'a', params }] }, { headers })
    await new Promise(resolve => setTimeout(resolve, 20))
    return (await ask(`${batches}/${String(json.id)}`)).json
  }
  t.match(await create('slow'), { processing_status: 'in_progress' })
  t.match(await create('quick'), { processing_status: 'ended', request_counts: { errored: 1 } })
  t.match(await create('quick', { 'X-Svc-Batch': '60s' }), { processing_status: 'in_progress' })
  t.match(await create('slow', { 'X-Svc-Batch': '1ms' }), { request_counts: { succeeded: 1 } })
  t.match(
    await create('quick', { 'X-Svc-Batch': 'tomorrow' }),
    { request_counts: { errored: 1 } },
    'not valid: ignored',
  )
  const { load_errors: errors } = (await ask(`${server.url}/_svc/plugins`)).json as { load_errors: object[] }
  t.match(errors, [
    { at: 'llm.providers[3].batch', message: /"tomorrow" is not the plan of a batch \(expected a time/ },
  ])
})

t.test('a provider that stores nothing answers like one without state [LLMN-188]', async t => {
  const { url } = await serveLlm(t, { yaml })
  const base = `${url}/ai/stateless/v1`
  const { status, json } = await ask(`${base}/responses`, { input: 'hello' })
  t.match({ status, store: json.store }, { status: 200, store: false })
  const id = String(json.id)
  t.equal((await ask(`${base}/responses/${id}`)).status, 404)
  t.equal((await ask(`${base}/responses/${id}`, undefined, { method: 'DELETE' })).status, 404)
  t.match(await ask(`${base}/responses`, { input: 'and?', previous_response_id: id }), {
    status: 400,
    json: { error: { param: 'previous_response_id', code: 'previous_response_not_found' } },
  })
  t.match(await ask(`${base}/responses`, { input: 'hello', background: true }), {
    status: 400,
    json: { error: { param: 'background' } },
  })
  t.match(await ask(`${base}/conversations`, {}), {
    status: 404,
    json: { error: { message: 'Invalid URL (POST /v1/conversations)' } },
  })
  const other = await ask(`${url}/ai/openai/v1/conversations`, {})
  t.equal(other.status, 200, 'other providers keep their state')
  t.equal((await ask(`${base}/responses`, { input: 'x', conversation: other.json.id })).status, 404)

  const interactions = `${url}/ai/gemini/v1beta/interactions`
  const interaction = await ask(interactions, { model: 'svc-gemini', input: 'hello' })
  t.equal(interaction.status, 200)
  const previous = String(interaction.json.id)
  t.equal((await ask(`${interactions}/${previous}`)).status, 404)
  const next = { model: 'svc-gemini', input: 'and?', previous_interaction_id: previous }
  t.match(await ask(interactions, next), { status: 404, json: { error: { code: 'not_found' } } })
  t.equal((await ask(interactions, { model: 'svc-gemini', input: 'x', background: true })).status, 400)
})
