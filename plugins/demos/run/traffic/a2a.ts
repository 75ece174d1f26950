/** Traffic to agents over A2A: a message, or the agent card. */
import { randomUUID } from 'node:crypto'
import type { A2aTraffic } from '../../file/demo.ts'
import { sessionKey } from '../context.ts'
import type { SentRequest } from '../sent.ts'
import { sendRequest, type SendOptions } from './request.ts'

export async function sendA2a(traffic: A2aTraffic, options: SendOptions): Promise<SentRequest[]> {
  const base = `/a2a/${traffic.agent}`
  const has = options.context.target.fields.some(([name]) => name.toLowerCase() === 'authorization')
  const bearer = traffic.bearer ?? (has ? null : sessionKey(options.context))
  if (traffic.isCard) {
    const path = `${base}/.well-known/agent-card.json`
    return [await sendRequest({ method: 'GET', path, headers: traffic.headers, body: null, bearer }, options)]
  }
  const message = {
    messageId: randomUUID(),
    role: 'user',
    kind: 'message',
    parts: [{ kind: 'text', text: traffic.text }],
  }
  const sent = await sendRequest(
    {
      method: 'POST',
      path: base,
      headers: { 'content-type': 'application/json', ...traffic.headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: traffic.stream ? 'message/stream' : 'message/send',
        params: { message },
      }),
      bearer,
    },
    options,
  )
  return [sent]
}
