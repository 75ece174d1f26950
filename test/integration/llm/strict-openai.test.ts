/** What chat completions and responses refuse, rule by rule, as OpenAI and Azure do. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import { CHAT_CASES, RESPONSES_CASES, error, hello, result, user } from '../../support/strict-cases/openai.ts'
import { checkRules } from '../../support/strict.ts'

const server = await serveLlm(t)

t.test('chat completions [STR-12]', t =>
  checkRules(t, { url: server.url, path: '/ai/openai/v1/chat/completions', flavour: 'openai', cases: CHAT_CASES }),
)

t.test('Azure says it in other words where the model is in the path [STR-16]', async t => {
  const url = `${server.url}/ai/azure/openai/deployments/gpt-5/chat/completions?api-version=2024-10-21`
  const ask = async (body: object): Promise<unknown> =>
    (
      await fetch(url, { method: 'POST', headers: { 'X-Svc-Validation': 'enforce' }, body: JSON.stringify(body) })
    ).json()
  const { messages } = hello
  t.match(await ask({ messages, thinking: {} }), error('Unrecognized request argument supplied: thinking', null, null))
  t.match(await ask({ messages: [{ ...user, thinking: {} }] }), { error: { code: 'unknown_parameter' } })
  t.match(await ask({ messages, max_tokens: 5 }), { error: { param: 'max_tokens' } })
  t.match(await ask({ messages }), { choices: [{}] }, 'without a model')
})

t.test('Ollama takes unknown members, and keeps the order of the conversation', async t => {
  const ask = async (body: object): Promise<Response> =>
    fetch(`${server.url}/ai/ollama/v1/chat/completions`, {
      method: 'POST',
      headers: { 'X-Svc-Validation': 'enforce' },
      body: JSON.stringify(body),
    })
  t.equal((await ask({ ...hello, model: 'llama3.2', thinking: {} })).status, 200)
  const open = { type: 'json_schema', json_schema: { name: 'a', strict: true, schema: { type: 'object' } } }
  t.equal(
    (await ask({ ...hello, model: 'llama3.2', response_format: open })).status,
    200,
    'a schema that is not strict',
  )
  t.equal((await ask({ ...hello, model: 'llama3.2', messages: [user, result] })).status, 400)
})

t.test('responses', t =>
  checkRules(t, {
    url: server.url,
    path: '/ai/openai/v1/responses',
    flavour: 'openai-responses',
    cases: RESPONSES_CASES,
  }),
)
