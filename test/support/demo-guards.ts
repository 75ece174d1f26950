/** What small gateways do with prompts and answers: they ask a guard, read streams, and report usage; each right or with one mistake. */
import { exchange, valueOf, withoutFraming, type Fields } from '../probe/service-gateways/messages.ts'
import { Processing } from '../probe/service-gateways/processor.ts'
import { answer } from './demo-gateways.ts'
import type { Answer, Handler, StreamFilter } from './demo-proxy.ts'

const textOf = (value: unknown): string => (value === undefined ? '' : String(value))

const LIMIT_MS = 60_000

interface GuardMistakes {
  /** Answers are not checked. */
  ignoresAnswers?: boolean
  /** Requests pass while the guard is unavailable. */
  failsOpen?: boolean
}

/** Asks the webhook of svc about prompts and answers. */
export function guarded(upstream: string, { ignoresAnswers = false, failsOpen = false }: GuardMistakes = {}): Handler {
  return async (request, forward) => {
    if (request.method !== 'POST') return forward(request)
    const ask = async (way: string, body: object): Promise<Answer | null> => {
      const asked = await fetch(`${upstream}/guardrails/agentgateway/${way}`, {
        method: 'POST',
        headers: { 'x-svc-session': textOf(request.headers['x-svc-session']) },
        body: JSON.stringify({ body }),
      })
      const { action } = (await asked.json()) as { action?: { status_code?: number; reason: string } }
      if (!asked.ok) return failsOpen ? null : answer(500, { error: { message: 'no guard', type: 'guardrail' } })
      return action?.status_code === undefined
        ? null
        : answer(action.status_code, { error: { message: action.reason, type: 'guardrail' } })
    }
    const { messages } = JSON.parse(request.body) as { messages: object[] }
    const refused = await ask('request', { messages })
    if (refused !== null) return refused
    const got = await forward(request)
    if (got.status !== 200 || ignoresAnswers) return got
    const { choices } = JSON.parse(got.body.toString()) as { choices: object[] }
    return (await ask('response', { choices })) ?? got
  }
}

interface StreamMistakes {
  /** Each piece is read alone. */
  readsPiecesAlone?: boolean
  /** The client gets nothing before the end. */
  waitsForEnd?: boolean
}

const NUMBER = /\d{3}-\d{2}-\d{4}/g
/** What may be the beginning of a number. */
const BEGINNING = /[\d-]{1,10}$/

/** Redacts numbers in OpenAI's streams, and holds back what may be the beginning of one. */
export function streamGuard({
  readsPiecesAlone = false,
  waitsForEnd = false,
}: StreamMistakes = {}): () => StreamFilter {
  return () => {
    let unread = ''
    let held = ''
    let last: { choices: { delta: { content?: string } }[] } | null = null
    const eventOf = (text: string): string => {
      const own = structuredClone(last!)
      own.choices[0]!.delta.content = text
      return `data: ${JSON.stringify(own)}\n\n`
    }
    const flushed = (isEnd: boolean): string => {
      const text = held.replaceAll(NUMBER, '[SSN]')
      const kept = isEnd || readsPiecesAlone ? '' : waitsForEnd ? text : (BEGINNING.exec(text)?.[0] ?? '')
      held = kept
      const ready = text.slice(0, text.length - kept.length)
      return ready === '' ? '' : eventOf(ready)
    }
    return piece => {
      if (piece === null) return unread
      const events = (unread + piece).split('\n\n')
      unread = events.pop()!
      return events
        .map(event => {
          const data = event.replace(/^data: /, '')
          const message = data === '[DONE]' ? null : JSON.parse(data)
          const content = message?.choices?.[0]?.delta?.content as string | undefined
          if (content === undefined || content === '') return `${last === null ? '' : flushed(true)}${event}\n\n`
          last = message
          held += content
          return flushed(false)
        })
        .join('')
    }
  }
}

/** Asks the endpoint picker of svc. `ignoresPick`: the mistake; everything goes to one endpoint. */
export function picking(grpcPort: number, ignoresPick: number | null = null): Handler {
  return async ({ method, path, headers, body }) => {
    const fields = Object.entries(headers).map(([name, value]): Fields[number] => [name, String(value)])
    const processing = new Processing(grpcPort, {}, LIMIT_MS, { 'svc-processor': 'epp', 'svc-epp': 'least-loaded' })
    try {
      const bytes = Buffer.from(body)
      const asked = await processing.request({ method, target: path, fields: withoutFraming(fields), body: bytes })
      if ('answer' in asked) return answer(asked.answer.status, asked.answer.body.toString())
      const picked = valueOf(asked.forward.fields, 'x-gateway-destination-endpoint')
      const port = ignoresPick ?? Number(picked!.split(':')[1])
      const got = await exchange(port, asked.forward, LIMIT_MS)
      return { status: got.status, headers: Object.fromEntries(got.fields), body: got.body }
    } finally {
      processing.end()
    }
  }
}

/** Reports each call of a model as a log. `ignoresPrompts`: the mistake; the tokens of prompts are left out. */
export function reportingUsage(upstream: string, { ignoresPrompts = false } = {}): Handler {
  return async (request, forward) => {
    const id = crypto.randomUUID()
    const got = await forward({ ...request, headers: { ...request.headers, 'x-request-id': id } })
    if (request.method !== 'POST') return got
    const numberIn = (name: string): number =>
      Number(new RegExp(`"${name}":(\\d+)`).exec(got.body.toString())?.[1] ?? 0)
    const usage = {
      'gen_ai.usage.input_tokens': ignoresPrompts ? 0 : numberIn('prompt_tokens'),
      'gen_ai.usage.output_tokens': numberIn('completion_tokens'),
    }
    const { method, path } = request
    const log = { method, path, status: got.status, request_id: id, ...(got.status === 200 ? usage : {}) }
    await fetch(`${upstream}/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(log),
    })
    return got
  }
}
