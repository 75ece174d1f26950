import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer, type TestServer } from 'svc/testing'

interface Task {
  id: string
  contextId: string
  status: { state: string }
  artifacts?: { parts: { text: string }[] }[]
}

let server: TestServer
before(async () => {
  server = await startTestServer({ folders: [import.meta.dirname], plugins: ['a2a-interpreter'] })
})
after(() => server.stop())

/** SendMessage over JSON-RPC, protocol 1.0. */
async function send(parts: object[], task?: Task): Promise<Task> {
  const message = {
    messageId: 'm-1',
    role: 'ROLE_USER',
    parts,
    ...(task && { taskId: task.id, contextId: task.contextId }),
  }
  const response = await fetch(`${server.url}/a2a/interpreter`, {
    method: 'POST',
    headers: { 'A2A-Version': '1.0', 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message, metadata: { stepDelayMs: 0 } },
    }),
  })
  const { result } = (await response.json()) as { result: { task: Task } }
  return result.task
}

test('the agent has a card', async () => {
  const card = (await (await fetch(`${server.url}/a2a/interpreter/.well-known/agent-card.json`)).json()) as {
    name: string
    skills: { id: string }[]
  }
  assert.equal(card.name, 'Interpreter')
  assert.equal(card.skills[0]?.id, 'translate')
})

test('the translation is streamed as chunks of one artifact', async () => {
  const task = await send([{ text: 'hello gateway world' }])
  assert.equal(task.status.state, 'TASK_STATE_COMPLETED')
  assert.equal(task.artifacts?.[0]?.parts.map(({ text }) => text).join(''), 'bonjour passerelle monde')
})

test('the agent asks for missing input and continues the same task', async () => {
  const asked = await send([{ text: ' ' }])
  assert.equal(asked.status.state, 'TASK_STATE_INPUT_REQUIRED')
  const answered = await send([{ text: 'hello' }], asked)
  assert.equal(answered.id, asked.id)
  assert.equal(answered.status.state, 'TASK_STATE_COMPLETED')
})
