/** The model and the agent of agentgateway's testbox. */
import { isRecord } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'
import { jsonObject } from '../request/json-object.ts'

// What agentgateway's tests look for.
const MODEL = 'gpt-4o-mini'
const PROJECT_TEXT = 'The name of this project is agentgateway'
const SSN_TEXT = '123-45-6789 is an example SSN'
const MASKING_TEXT = 'Data masking replaces sensitive values'

function completion(call: Call, isSsn: boolean): unknown {
  return call.json({
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
  return call.json({
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
  return call.json({
    action: /blocked content/i.test(body)
      ? { body: 'request blocked', status_code: 403 }
      : { reason: 'request passed' },
  })
}

/** The webhook of its guards, for responses: masks a word. */
function judgeResponse(call: Call, body: string): unknown {
  const sent = jsonObject(body)
  if (sent === null) return call.text('the body must be a JSON object\n', 400)
  const found = isRecord(sent.body) && Array.isArray(sent.body.choices) ? (sent.body.choices as unknown[]) : []
  const choices = found.map(choice => {
    const message = isRecord(choice) && isRecord(choice.message) ? choice.message : {}
    const text = (name: string): string => (typeof message[name] === 'string' ? message[name] : '')
    return { message: { role: text('role'), content: text('content').replaceAll('masking', '****ing') } }
  })
  return call.json({ action: { body: { choices }, reason: 'response masked' } })
}

export const TESTBOX_LLM: Server = {
  name: 'testbox-llm',
  title: "testbox's model",
  summary: 'Fixed completions and messages',
  example: '/',
  mediaTypes: ['application/json', 'text/plain'],
  handle(call) {
    const { path, method } = call
    if (path === '/') return call.text('testbox-llm: POST /v1/chat/completions, /v1/messages\n')
    if (method !== 'POST') return call.text('method not allowed\n', 405)
    const body = call.body.toString()
    if (path.endsWith('/messages')) return message(call, /blocked/i.test(body))
    if (path.endsWith('/chat/completions')) return completion(call, /ssn/i.test(body))
    if (path === '/request') return judgeRequest(call, body)
    if (path === '/response') return judgeResponse(call, body)
    return call.text('not found\n', 404)
  },
}

/** The text of the first part of a message of A2A, trimmed. */
function textOf(params: unknown): string {
  const sent = isRecord(params) ? params.message : undefined
  const first: unknown = isRecord(sent) && Array.isArray(sent.parts) ? sent.parts[0] : undefined
  const text = isRecord(first) && typeof first.text === 'string' ? first.text : ''
  return text === '' ? 'hello' : text.trim()
}

export const TESTBOX_A2A: Server = {
  name: 'testbox-a2a',
  title: "testbox's agent",
  summary: 'An agent that echoes, with the methods of A2A before 0.3',
  example: '/agent-card',
  mediaTypes: ['application/json'],
  rootStatus: 405,
  handle(call) {
    const { path, method } = call
    if (path === '/agent-card' || path === '/.well-known/agent.json')
      return call.json({
        name: 'Example A2A Agent',
        description: 'An example A2A agent using the a2a-protocol crate',
        url: call.rootUrl,
        version: '1.0.0',
        capabilities: { streaming: false },
        defaultInputModes: ['text'],
        defaultOutputModes: ['text'],
        skills: [{ id: 'echo', name: 'Echo', description: 'Echoes messages', tags: ['echo'] }],
      })
    if (method !== 'POST') return call.text('Method not allowed\n', 405)
    const rpc = jsonObject(call.body.toString())
    if (rpc === null || rpc.method !== 'tasks/send') return call.text('Unsupported method\n', 400)
    const id = isRecord(rpc.params) && typeof rpc.params.id === 'string' ? rpc.params.id : ''
    const message = {
      kind: 'message',
      messageId: 'agent-reply-1',
      role: 'agent',
      parts: [{ kind: 'text', text: `Echo: ${textOf(rpc.params)}` }],
    }
    return call.json({
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
