/** The model and the agent of agentgateway's testbox. */
import { isRecord } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'
import { jsonObject } from '../request/json-object.ts'

const SSN_TEXT = '123-45-6789 is an example SSN'

function completion(call: Call, isSsn: boolean): unknown {
  return call.json({
    id: 'chatcmpl-testbox',
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: 'testbox',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: isSsn ? SSN_TEXT : 'Hello from testbox' },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  })
}

function message(call: Call): unknown {
  return call.json({
    id: 'msg_testbox',
    type: 'message',
    role: 'assistant',
    model: 'testbox',
    content: [{ type: 'text', text: 'blocked' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 8, output_tokens: 8 },
  })
}

export const TESTBOX_LLM: Server = {
  name: 'testbox-llm',
  title: "testbox's model",
  summary: 'Fixed completions and messages',
  example: '/',
  mediaTypes: ['application/json'],
  handle(call) {
    const { path, method } = call
    if (path === '/') return call.text('testbox-llm: POST /v1/chat/completions, /v1/messages\n')
    if (method !== 'POST') return call.text('method not allowed\n', 405)
    const body = call.body.toString()
    if (jsonObject(body) === null) return call.text('the body must be a JSON object\n', 400)
    if (path.endsWith('/messages')) return message(call)
    if (path.endsWith('/chat/completions')) return completion(call, /ssn/i.test(body))
    return call.text('not found\n', 404)
  },
}

/** The texts of a message of A2A. */
function textOf(params: unknown): string {
  const sent = isRecord(params) ? params.message : undefined
  const parts: readonly unknown[] = isRecord(sent) && Array.isArray(sent.parts) ? sent.parts : []
  return parts.flatMap(part => (isRecord(part) && typeof part.text === 'string' ? part.text : [])).join(' ')
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
        name: 'Echo Agent',
        description: 'Echoes messages',
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
    const id = isRecord(rpc.params) && typeof rpc.params.id === 'string' ? rpc.params.id : 'task-1'
    return call.json({
      jsonrpc: '2.0',
      id: rpc.id ?? null,
      result: {
        id,
        status: {
          state: 'working',
          message: { role: 'agent', parts: [{ type: 'text', text: `Echo: ${textOf(rpc.params)}` }] },
        },
      },
    })
  },
}
