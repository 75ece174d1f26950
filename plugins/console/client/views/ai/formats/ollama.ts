/** Ollama chat. */
import type { ModelRequest, Piece, Turn, WireFormat } from '../types.ts'
import { argsOf, compact, headersOption, literal, turnsOf } from './json.ts'

interface Line {
  message?: { content?: string; thinking?: string; tool_calls?: { function?: { name?: string; arguments?: object } }[] }
  done_reason?: string
  prompt_eval_count?: number
  eval_count?: number
  error?: string
}

function messagesOfTurn(turn: Turn): object[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.text }]
  if (turn.role === 'tool')
    return turn.results.map(({ call, content }) => ({ role: 'tool', tool_name: call.name, content }))
  const { text, calls } = turn.run.reply
  return [
    compact({
      role: 'assistant',
      content: text,
      tool_calls:
        calls.length === 0
          ? undefined
          : calls.map(call => ({ function: { name: call.name, arguments: argsOf(call) } })),
    }),
  ]
}

function bodyOf(modelRequest: ModelRequest): object {
  const { model, system, stream, temperature, maxTokens, tools, format } = modelRequest
  const options = compact({ temperature: temperature ?? undefined, num_predict: maxTokens ?? undefined })
  return compact({
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...turnsOf(modelRequest).flatMap(messagesOfTurn),
    ],
    stream,
    options: Object.keys(options).length === 0 ? undefined : options,
    tools: tools.length === 0 ? undefined : tools.map(tool => ({ type: 'function', function: tool })),
    format: format === 'text' ? undefined : format,
  })
}

function read(json: unknown): Piece {
  const { message, done_reason: finish, prompt_eval_count: input, eval_count: output, error } = json as Line
  return {
    text: message?.content,
    thinking: message?.thinking,
    calls: message?.tool_calls?.map(({ function: called }) => ({
      name: called?.name ?? '',
      args: JSON.stringify(called?.arguments ?? {}),
    })),
    finish,
    usage: output === undefined ? undefined : { input, output },
    ...(error === undefined ? {} : { error }),
  }
}

export const ollama: WireFormat = {
  request: modelRequest => ({ path: '/api/chat', body: bodyOf(modelRequest) }),
  credential: key => ({ name: 'Authorization', value: `Bearer ${key}` }),
  read,
  readFrame: read,
  code: ({ baseUrl, key, headers, body, stream }) => `import { Ollama } from 'ollama'

const ollama = new Ollama({
  host: ${JSON.stringify(baseUrl)},${headersOption('headers', { ...(key === '' ? {} : { Authorization: `Bearer ${key}` }), ...headers })}
})
${
  stream
    ? `const stream = await ollama.chat(${literal(body, 0)})
for await (const { message } of stream) process.stdout.write(message.content)`
    : `const { message } = await ollama.chat(${literal(body, 0)})
console.log(message)`
}
`,
}
