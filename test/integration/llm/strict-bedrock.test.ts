/** What Bedrock refuses, rule by rule: Converse, and Claude's own format. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import { CLAUDE, CONVERSE_CASES, user } from '../../support/strict-cases/converse.ts'
import { checkRules } from '../../support/strict.ts'

const server = await serveLlm(t)

t.test('Converse', t =>
  checkRules(t, { url: server.url, path: CLAUDE, flavour: 'bedrock-converse', cases: CONVERSE_CASES }),
)

t.test('InvokeModel in the format of Claude', async t => {
  const body = {
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 99,
    messages: [{ role: 'user', content: 'hello' }],
  }
  const ask = async (sent: object, model = 'anthropic.claude-opus-4-7-v1:0'): Promise<[number, string | null]> => {
    const response = await fetch(`${server.url}/ai/bedrock/model/${model}/invoke`, {
      method: 'POST',
      // Beta features are in the body only.
      headers: { 'X-Svc-Validation': 'enforce', 'anthropic-beta': 'claude-code-20250219' },
      body: JSON.stringify(sent),
    })
    return [response.status, response.headers.get('x-svc-violations')]
  }
  t.strictSame(await ask(body), [200, null])
  const guarded = { ...body, 'amazon-bedrock-guardrailConfig': { tagSuffix: 'x' } }
  t.equal((await ask(guarded))[1], null, 'what is for Bedrock itself')
  t.strictSame(await ask({ ...body, stream: true }), [400, 'invoke.extraneous'])
  t.strictSame(await ask({ ...body, temperature: 0 }), [400, 'anthropic.sampling'])
  t.strictSame(await ask({ ...body, anthropic_beta: ['files-api-2025-04-14'] }), [400, 'anthropic.beta'])
  t.strictSame(await ask({ ...body, anthropic_beta: ['tool-examples-2025-10-29'] }), [200, null])
  t.strictSame(await ask({ inputText: 'hello' }, 'amazon.titan-text-express-v1'), [200, null], 'another family')
})

t.test('the name of the error', async t => {
  const response = await fetch(server.url + CLAUDE, {
    method: 'POST',
    headers: { 'X-Svc-Validation': 'enforce' },
    body: JSON.stringify({ messages: [user, user] }),
  })
  t.equal(response.headers.get('x-amzn-errortype'), 'ValidationException')
})
