/** Gateways of models that lose something of a conversation, and one that states what a call costs. */
import type { Answer, Handler, ProxyRequest } from './demo-proxy.ts'

export const LOSSES = ['signature', 'marks', 'beta', 'member', 'index', 'end', 'count'] as const
export type Loss = (typeof LOSSES)[number]

/** Messages of Anthropic, without one thing. */
export const losing =
  (loss: Loss): Handler =>
  async (request, forward) => {
    if (loss === 'count' && request.path.includes('/count_tokens'))
      return { status: 404, headers: {}, body: Buffer.from('not here') }
    return back(loss, await forward(there(loss, request)))
  }

function there(loss: Loss, request: ProxyRequest): ProxyRequest {
  const { headers, body } = request
  if (loss === 'beta') {
    const { 'anthropic-beta': _beta, ...kept } = headers
    return { ...request, headers: kept }
  }
  if (body === '' || (loss !== 'marks' && loss !== 'member')) return request
  const text = JSON.stringify(JSON.parse(body), (key, value: unknown) =>
    key === (loss === 'marks' ? 'cache_control' : 'context_management') ? undefined : value,
  )
  return { ...request, body: text }
}

function back(loss: Loss, answer: Answer): Answer {
  const text = answer.body.toString()
  const events = text.split('\n\n')
  if (!text.startsWith('event:')) return answer
  const changed =
    loss === 'signature'
      ? events.filter(event => !event.includes('signature_delta'))
      : loss === 'index'
        ? events.map(event => event.replace('"index":1', '"index":0'))
        : loss === 'end'
          ? events.filter(event => !event.includes('message_stop'))
          : events
  return { ...answer, body: Buffer.from(changed.join('\n\n')) }
}

/** Dollars in a header, for prices of a million tokens. `ignoresPrompts`: the mistake. */
export function stating(header: string, { ignoresPrompts = false } = {}): Handler {
  return async (request, forward) => {
    const answer = await forward(request)
    const numberIn = (name: string): number =>
      Number(new RegExp(`"${name}":(\\d+)`).exec(answer.body.toString())?.[1] ?? 0)
    const prompt = ignoresPrompts ? 0 : numberIn('prompt_tokens') * PRICES.input
    const dollars = (prompt + numberIn('completion_tokens') * PRICES.output) / 1e6
    return { ...answer, headers: { ...answer.headers, [header]: dollars.toFixed(9) } }
  }
}

/** Of gpt-4o-mini, for a million tokens. */
export const PRICES = { model: 'gpt-4o-mini', input: 0.15, output: 0.6 }
