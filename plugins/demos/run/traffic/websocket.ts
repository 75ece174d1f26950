/** WebSocket traffic: the texts that came back are the body, one a line, and events with their times. */
import type { WebSocketTraffic } from '../../file/demo.ts'
import { markFields, targetOf } from '../context.ts'
import type { SentRequest } from '../sent.ts'
import type { SendOptions } from './request.ts'

export async function sendWebSocket(traffic: WebSocketTraffic, options: SendOptions): Promise<SentRequest[]> {
  const { context, variant } = options
  const { client, target } = context
  const fields = [...markFields(context), ...Object.entries({ ...traffic.headers, ...variant?.headers })]
  const requestTarget = targetOf(context, variant?.path ?? traffic.path)
  const share = options.answers.share()
  const talk = await client.webSocket(
    {
      target: requestTarget,
      fields,
      messages: traffic.messages,
      forMs: traffic.forMs,
      ...(target.host === null ? {} : { authority: target.host }),
    },
    {
      address: target.address,
      trust: target.trust,
      limitMs: options.timeoutMs,
      signal: options.signal,
      onReceived: share.take,
    },
  )
  const texts = talk.messages.map(({ data }) => data.toString())
  share.keep(2 * texts.reduce((sum, text) => sum + text.length, 0))
  return [
    {
      traffic: options.traffic,
      variant: options.variantNumber,
      method: 'GET',
      target: requestTarget,
      fields,
      sentBody: null,
      atMs: talk.startedAtMs - options.startedAtMs,
      status: talk.status,
      answerFields: talk.fields,
      body: texts.join('\n'),
      ms: client.clock() - talk.startedAtMs,
      error: talk.error === 'bad_handshake' ? 'reset' : talk.error,
      events: talk.messages.map(({ atMs }, index) => ({
        atMs: atMs - talk.startedAtMs,
        event: 'message',
        data: texts[index]!,
      })),
      firstMs: talk.messages[0] === undefined ? null : talk.messages[0].atMs - talk.startedAtMs,
      facts: {},
      tokens: null,
    },
  ]
}
