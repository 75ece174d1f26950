/** `hostile-stream`: answers whose stream is slow, broken or flooded. */
import type { FinishedAnswer, MessageExchange } from '../../mcp/types.ts'
import { isRecord } from 'svc/toolkit'
import { addServer, type HostileParts } from '../hostile-server.ts'

const FLOOD_BYTES = 1024 * 1024
const COMMENT = 'x'.repeat(1023)
/** Behavior of a tool: a fault of the header `X-Svc-Mcp-Fail`, or own code. */
const TOOLS: Record<string, string | ((answer: FinishedAnswer, exchange: MessageExchange) => void)> = {
  drip: 'slow',
  cut: 'truncate',
  partial: 'bad-sse',
  stall: 'stall',
  flood(answer) {
    const stream = answer.openStream()
    for (let sent = 0; sent < FLOOD_BYTES; sent += COMMENT.length + 1) stream?.comment(COMMENT)
    finish(answer, stream)
  },
  backwards(answer, { params }) {
    const progressToken = isRecord(params._meta) ? (params._meta.progressToken ?? 'svc') : 'svc'
    const stream = answer.openStream()
    for (const progress of [90, 60, 30, 0])
      send(stream, {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      })
    finish(answer, stream)
  },
  after_end(answer) {
    const stream = answer.openStream()
    stream?.send({ event: 'message', data: answer.text })
    send(stream, { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: 'late' } })
    stream?.send({ event: 'message', data: answer.text })
    stream?.end()
  },
}

export function registerStream(parts: HostileParts): void {
  const server = addServer(parts, {
    what: 'stream',
    attack: 'The streams of its answers are slow, cut, stalled or flooded.',
    hooks: {
      async message(exchange) {
        const { method, params } = exchange
        const behavior =
          method === 'tools/call' && Object.hasOwn(TOOLS, String(params.name)) ? TOOLS[String(params.name)] : undefined
        if (behavior === undefined) return
        if (typeof behavior === 'string') return exchange.fault(behavior)
        exchange.answer(answer => behavior(answer, exchange))
      },
    },
  })
  for (const name of Object.keys(TOOLS))
    parts.servers.tool({
      name,
      description: `Answers with a stream that is broken (${name}).`,
      servers: [server],
      fixture: true,
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      call: () => ({ content: [{ type: 'text', text: `This is ${name}.` }] }),
    })
}

type Stream = ReturnType<FinishedAnswer['openStream']>

function send(stream: Stream, message: object): void {
  stream?.send({ event: 'message', data: JSON.stringify(message) })
}

function finish({ text }: FinishedAnswer, stream: Stream): void {
  stream?.send({ event: 'message', data: text })
  stream?.end()
}
