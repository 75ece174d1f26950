/** The model and the agent of agentgateway's testbox. */
import type { Call, Server } from '../request/call.ts'
import { type GoShape, readGo } from '../request/go-json.ts'
import { jsonObject } from '../request/json-object.ts'

// What agentgateway's tests look for.
const MODEL = 'gpt-4o-mini'
const PROJECT_TEXT = 'The name of this project is agentgateway'
const SSN_TEXT = '123-45-6789 is an example SSN'
const MASKING_TEXT = 'Data masking replaces sensitive values'

function completion(call: Call, isSsn: boolean): unknown {
  return sendLine(call, {
    id: 'chatcmpl-testbox',
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: MODEL,
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: isSsn ? SSN_TEXT : PROJECT_TEXT },
      },
    ],
    service_tier: 'default',
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  })
}

function message(call: Call, isBlocked: boolean): unknown {
  return sendLine(call, {
    id: 'msg_testbox',
    type: 'message',
    role: 'assistant',
    model: 'claude-3-5-sonnet-20240620',
    content: [{ type: 'text', text: isBlocked ? 'blocked content' : MASKING_TEXT }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 8, output_tokens: 8 },
  })
}

/** The webhook of its guards, for requests. */
function judgeRequest(call: Call, body: string): unknown {
  return sendLine(call, {
    action: /blocked content/i.test(body)
      ? { body: 'request blocked', status_code: 403 }
      : { reason: 'request passed' },
  })
}

const RESPONSE: GoShape = { body: { choices: [{ message: { role: 'text', content: 'text' } }] } }

interface ResponseSent {
  body: { choices: { message: { role: string; content: string } }[] }
}

/** The webhook of its guards, for responses: masks a word. */
function judgeResponse(call: Call, body: string): unknown {
  const given = jsonObject(body)
  const sent = given && readGo<ResponseSent>(given, RESPONSE)
  if (sent === null) return call.send(null, '', 400)
  const choices = sent.body.choices.map(({ message: { role, content } }) => ({
    message: { role, content: content.replaceAll('masking', '****ing') },
  }))
  return sendLine(call, { action: { body: { choices }, reason: 'response masked' } })
}

/** As Go's encoder writes it: with a newline. */
function sendLine(call: Call, value: object): unknown {
  return call.send('application/json', `${JSON.stringify(value)}\n`)
}

const MODEL_PATHS: Readonly<Record<string, (call: Call, body: string) => unknown>> = {
  '/v1/chat/completions': (call, body) => completion(call, /ssn/i.test(body)),
  '/v1/messages': (call, body) => message(call, /blocked/i.test(body)),
  '/request': judgeRequest,
  '/response': judgeResponse,
}

export const TESTBOX_LLM: Server = {
  name: 'testbox-llm',
  title: "testbox's model",
  summary: 'Fixed completions and messages',
  example: '/v1/chat/completions',
  exampleMethod: 'POST',
  rootStatus: 404,
  mediaTypes: ['application/json', 'text/plain'],
  handle(call) {
    const { path, method } = call
    const respond = MODEL_PATHS[path]
    if (respond === undefined) return call.error('404 page not found', 404)
    return method === 'POST' ? respond(call, call.body.toString()) : call.send(null, '', 405)
  },
}

const REQUEST: GoShape = { method: 'text', params: { id: 'text', message: { parts: [{ text: 'text' }] } } }

interface TaskSent {
  method: string
  params: { id: string; message: { parts: { text: string }[] } }
}

export const TESTBOX_A2A: Server = {
  name: 'testbox-a2a',
  title: "testbox's agent",
  summary: 'An agent that echoes, with the methods of A2A before 0.3',
  example: '/agent-card',
  mediaTypes: ['application/json'],
  rootStatus: 405,
  handle(call) {
    if (call.path === '/agent-card')
      return sendLine(call, {
        name: 'Example A2A Agent',
        description: 'An example A2A agent using the a2a-protocol crate',
        url: call.rootUrl,
        version: '1.0.0',
        capabilities: { streaming: false },
        defaultInputModes: ['text'],
        defaultOutputModes: ['text'],
        skills: [{ id: 'echo', name: 'Echo Skill', description: "Echoes back the user's message", tags: ['echo'] }],
      })
    if (call.method !== 'POST') return call.send(null, '', 405)
    const rpc = jsonObject(call.body.toString())
    const sent = readGo<TaskSent>(rpc, REQUEST)
    if (rpc === null || sent?.method !== 'tasks/send') return call.send(null, '', 400)
    const { id, message: given } = sent.params
    const text = given.parts[0]?.text || 'hello'
    const message = {
      kind: 'message',
      messageId: 'agent-reply-1',
      role: 'agent',
      parts: [{ kind: 'text', text: `Echo: ${text.trim()}` }],
    }
    return sendLine(call, {
      jsonrpc: '2.0',
      id: rpc.id ?? null,
      result: {
        contextId: 'ctx-1',
        history: [message],
        id,
        kind: 'task',
        status: { message, state: 'working', timestamp: new Date().toISOString() },
      },
    })
  },
}
