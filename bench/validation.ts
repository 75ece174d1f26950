/** What it costs to check requests as vendors do: the same requests with the level `off` and with `warn`, in turns, to one server. */
import { chat } from './cases.ts'
import { contest, type ContestOptions } from './contest.ts'
import { sendLoad } from './load.ts'
import type { Measured } from './process.ts'

export interface CheckCost {
  name: string
  /** Microseconds of processor time per request. */
  off: number
  warn: number
}

const CONNECTIONS = 50
const CHAT = '/ai/openai/v1/chat/completions'
const TOOLS = 10
/** Calls with their results, before the last message. */
const CALLS = 20

/** A request of an agent: its tools, and a conversation of calls with their results. */
function agentBody(): string {
  const tools = Array.from({ length: TOOLS }, (_, index) => ({
    type: 'function',
    function: {
      name: `tool_${index}`,
      description: 'Reads a part of a file',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          lines: { type: 'array', items: { type: 'integer' } },
          options: { type: 'object', properties: { encoding: { type: 'string', enum: ['utf8', 'latin1'] } } },
        },
        required: ['path'],
      },
    },
  }))
  const calls = Array.from({ length: CALLS }, (_, index) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: `call_${index}`, type: 'function', function: { name: 'tool_0', arguments: '{"path":"src/index.ts"}' } },
      ],
    },
    { role: 'tool', tool_call_id: `call_${index}`, content: 'const answer = 42\n'.repeat(20) },
  ]).flat()
  const messages = [
    { role: 'system', content: 'You are a coding agent.' },
    { role: 'user', content: 'Fix the test.' },
    ...calls,
    { role: 'user', content: 'hello' },
  ]
  return JSON.stringify({ model: 'gpt-4o', messages, tools })
}

const REQUESTS: readonly (readonly [name: string, body: string, headers?: Record<string, string>])[] = [
  ['chat completion', chat(false)],
  ['chat, streamed', chat(true), { 'X-Svc-Tokens-Per-Second': '0' }],
  [`agent: ${TOOLS} tools, ${CALLS} calls`, agentBody()],
]

export async function measureChecks(server: Measured, options: ContestOptions): Promise<CheckCost[]> {
  const costs: CheckCost[] = []
  for (const [name, body, headers] of REQUESTS) {
    const figures = await contest(
      (['off', 'warn'] as const).map(level => ({
        name: level,
        server,
        load: (seconds: number) =>
          sendLoad({
            port: server.port,
            path: CHAT,
            method: 'POST',
            connections: CONNECTIONS,
            warmUp: 0,
            seconds,
            headers: {
              'Content-Type': 'application/json',
              Authorization: 'Bearer sk-bench-0000',
              'X-Svc-Validation': level,
              ...headers,
            },
            body,
          }),
      })),
      options,
    )
    costs.push({ name, off: figures.get('off')!.cpu, warn: figures.get('warn')!.cpu })
  }
  return costs
}
