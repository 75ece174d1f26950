/** Calls of a reply that name several tools: the request decides which of them is called. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import { send } from '../../support/rules.ts'

const server = await serveLlm(t)
const CHAT = '/ai/openai/v1/chat/completions'
const offer = (...names: string[]): object[] =>
  names.map(name => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } }))
const run = {
  name: ['bash', 'exec_command', 'run_shell_command'],
  args: { command: 'ls' },
  args_by_name: { exec_command: { cmd: '{{prompt}}' } },
}

interface Answer {
  calls: { name: string; arguments: string }[]
  finish: string
  ignored: string | null
}

async function ask(reply: object, tools: object[], path = CHAT): Promise<Answer> {
  const answer = await send(server, `POST ${path}`, {
    body: { model: 'gpt-4.1', messages: [{ role: 'user', content: 'list' }], ...(tools.length > 0 ? { tools } : {}) },
    headers: { 'X-Svc-Reply-Json': JSON.stringify(reply) },
  })
  t.equal(answer.status, 200, answer.text)
  const [choice] = (
    answer.json as {
      choices: { finish_reason: string; message: { tool_calls?: { function: Answer['calls'][number] }[] } }[]
    }
  ).choices
  return {
    calls: (choice!.message.tool_calls ?? []).map(call => call.function),
    finish: choice!.finish_reason,
    ignored: answer.headers.get('x-svc-ignored'),
  }
}

t.test('the first name that the request offers is called, with its arguments [STR-27]', async t => {
  const first = await ask({ tool_calls: [run] }, offer('run_shell_command', 'bash'))
  t.strictSame(first, { calls: [{ name: 'bash', arguments: '{"command":"ls"}' }], finish: 'tool_calls', ignored: null })
  const own = await ask({ tool_calls: [run] }, offer('exec_command'))
  t.strictSame(own.calls, [{ name: 'exec_command', arguments: '{"cmd":"list"}' }], 'references are replaced')
})

t.test('a call without a tool is left out, and the response says so', async t => {
  const { calls, finish, ignored } = await ask(
    { text: 'Done.', tool_calls: [run, { name: ['a', 'b'] }, { name: 'c' }] },
    offer('bash'),
  )
  t.strictSame(
    calls.map(({ name }) => name),
    ['bash', 'c'],
    'a single name is called whether it is offered or not',
  )
  t.equal(finish, 'tool_calls')
  t.equal(ignored, 'tool_calls[1]; no tool of the request is one of a, b')
  const none = await ask({ text: 'Done.', tool_calls: [run] }, [])
  t.strictSame([none.calls, none.finish], [[], 'stop'])
  t.match(none.ignored, /^tool_calls\[0\]; /)
})

t.test('names that no header can hold are shown in part', async t => {
  const { ignored } = await ask({ text: 'x', tool_calls: [{ name: ['é\n', 'b'.repeat(199), 'c'] }] }, [])
  t.match(ignored, /^tool_calls\[0\]; no tool of the request is one of /)
  t.ok(ignored!.length < 250)
})

t.test('a list works in rules, and with namespaces', async t => {
  const session = 'name-lists'
  const stored = await fetch(`${server.url}/s/${session}/_svc/rules`, {
    method: 'POST',
    body: JSON.stringify({
      match: { llm: {} },
      then: { reply: { tool_calls: [{ name: ['absent', 'get_weather'], namespace: 'mcp__demo' }] } },
    }),
  })
  t.equal(stored.status, 201)
  const tool = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }
  const response = await send(server, 'POST /ai/openai/v1/responses', {
    headers: { 'X-Svc-Session': session },
    body: {
      model: 'gpt-4.1',
      input: 'weather',
      tools: [{ type: 'namespace', name: 'mcp__demo', description: 'A demo', tools: [tool] }],
    },
  })
  t.match(response.json, { output: [{ type: 'function_call', name: 'get_weather', namespace: 'mcp__demo' }] })
})

t.test('mistakes are errors', async t => {
  for (const [call, message] of [
    [{ name: [] }, /tool_calls\[0\]\.name: expected a name, or a list of 1 to 20 names/],
    [{ name: Array.from({ length: 21 }, (_, index) => `n${index}`) }, /a list of 1 to 20 names/],
    [{ name: ['a', 7] }, /tool_calls\[0\]\.name\[1\]: /],
    [{ name: ['a'], args_by_name: { b: {} } }, /tool_calls\[0\]\.args_by_name.*b/],
    [{ name: ['a'], args_by_name: [] }, /tool_calls\[0\]\.args_by_name: /],
  ] as const) {
    const answer = await send(server, `POST ${CHAT}`, {
      body: { model: 'gpt-4.1', messages: [{ role: 'user', content: 'x' }] },
      headers: { 'X-Svc-Reply-Json': JSON.stringify({ tool_calls: [call] }) },
    })
    t.equal(answer.status, 400)
    t.match(answer.text, message)
  }
})
