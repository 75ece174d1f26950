/** What Ollama refuses, and what Cohere probably refuses. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import { checkRules } from '../../support/strict.ts'

const server = await serveLlm(t)
const user = { role: 'user', content: 'hello' }

t.test('Ollama', t => {
  const talk = (...messages: object[]): object => ({ model: 'llama3.2', stream: false, messages })
  const call = (args: unknown): object => ({
    role: 'assistant',
    content: '',
    tool_calls: [{ function: { name: 'look_up', arguments: args } }],
  })
  return checkRules(t, {
    url: server.url,
    path: '/ai/ollama/api/chat',
    flavour: 'ollama',
    cases: [
      {
        rule: 'ollama.content-text',
        body: talk({ role: 'user', content: [{ type: 'text', text: 'hello' }] }),
        error: { error: /^json: cannot unmarshal array into Go struct field ChatRequest\.messages\.content/ },
        valid: { ...talk(user), unknown: 1 },
      },
      {
        rule: 'ollama.arguments-object',
        body: talk(user, call('{}')),
        error: { error: /^json: cannot unmarshal string/ },
        valid: talk(user, call({})),
      },
      {
        rule: 'ollama.image-base64',
        body: talk({ ...user, images: ['data:image/png;base64,AAAA'] }),
        error: { error: 'illegal base64 data at input byte 4' },
        valid: talk({ ...user, images: ['AAAA'] }),
      },
    ],
  })
})

t.test('Cohere', t => {
  const talk = (...messages: object[]): object => ({ model: 'command-r', messages })
  const asked = {
    role: 'assistant',
    tool_plan: 'look',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{}' } }],
  }
  const result = { role: 'tool', tool_call_id: 'c1', content: 'sunny' }
  return checkRules(t, {
    url: server.url,
    path: '/ai/cohere/v2/chat',
    flavour: 'cohere',
    cases: [
      {
        rule: 'cohere.tool-orphan',
        body: talk(user, result),
        error: { message: /^invalid request: / },
        valid: talk(user, asked, result),
      },
      {
        rule: 'cohere.tool-unanswered',
        body: talk(user, asked, user),
        error: { message: /^invalid request: / },
        valid: talk(user, asked, result, user),
      },
    ],
  })
})
