/** Sends one request of a run. */
import type { CheckField, ClientAnswer, ClientTrust } from '../../../probe/types.ts'
import type { AnswerBudget } from '../answer-budget.ts'
import type { CertificateKind, Variant } from '../../file/demo.ts'
import { clientPair } from '../certificates.ts'
import { Acknowledgments } from './acknowledgments.ts'
import { markFields, targetOf, type RunContext } from '../context.ts'
import { EventReader, fieldValues, MAX_ANSWER, MAX_SHOWN, type SentRequest, type StreamEvent } from '../sent.ts'

export interface Outgoing {
  method: string
  /** Path and query, without the prefix of the gateway. */
  path: string
  headers: Readonly<Record<string, string>>
  body: string | null
  bearer: string | null
  basic?: string | null
  http2?: boolean
  cookies?: boolean
  certificate?: CertificateKind | null
  serverName?: string | null
  /** The path is that of a redirect, which has the session of the run if it needs one. */
  isRedirect?: boolean
  /** It is not traffic of the demo: nothing tells that it belongs to the run. */
  isUnmarked?: boolean
  readsEvents?: boolean
  readsBody?: boolean
  /** Called when events have come, with those since the last call. */
  onEvents?(events: readonly StreamEvent[]): void
}

export interface SendOptions {
  context: RunContext
  /** Numbers of the traffic and the variant. */
  traffic: number
  variantNumber: number | null
  variant: Variant | null
  /** When the step began to send. */
  startedAtMs: number
  timeoutMs: number
  leaveAfterMs: number | null
  /** The scenario that is set to the number of events that came. */
  acknowledge: string | null
  /** Of the step. */
  answers: AnswerBudget
  /** Aborts with the step. */
  signal: AbortSignal
}

export async function sendRequest(outgoing: Outgoing, options: SendOptions): Promise<SentRequest> {
  const { context, variant } = options
  const { client, target } = context
  const fields = fieldsOf(outgoing, options)
  const marked = outgoing.isRedirect === true ? { ...context, mark: null } : context
  const requestTarget = targetOf(marked, variant?.path ?? outgoing.path)
  const share = options.answers.share()
  const asked = new EventReader()
  const acknowledgments = options.acknowledge === null ? null : new Acknowledgments(context, options.acknowledge)
  const exchange = await client.exchange(
    {
      http2: outgoing.http2 === true,
      requests: [
        {
          method: outgoing.method,
          target: requestTarget,
          fields,
          ...(outgoing.body === null ? { expectsBody: !/^(?:GET|HEAD|OPTIONS|DELETE)$/.test(outgoing.method) } : {}),
          ...(outgoing.body === null ? {} : { body: outgoing.body }),
          ...(target.host === null ? {} : { authority: target.host }),
        },
      ],
      ...(options.leaveAfterMs === null ? {} : { leaveAfterMs: options.leaveAfterMs }),
    },
    {
      address: target.address,
      trust: await trustOf(outgoing, context),
      limitMs: options.timeoutMs,
      signal: options.signal,
      onReceived: share.take,
      ...(acknowledgments === null && outgoing.onEvents === undefined
        ? {}
        : {
            onParts: parts => {
              acknowledgments?.onParts(parts)
              outgoing.onEvents?.(asked.eventsOf(parts, 0))
            },
          }),
    },
  )
  await acknowledgments?.sent()
  const answer = exchange.answers[0] ?? null
  if (outgoing.cookies === true && answer !== null) keepCookies(context, answer)
  const sentAtMs = answer?.sentAtMs ?? exchange.startedAtMs
  const endMs = answer?.endAtMs ?? exchange.endedAtMs
  const content =
    answer === null || outgoing.readsBody === false
      ? Buffer.alloc(0)
      : answer.body.subarray(0, exchange.error === 'too_large' ? MAX_SHOWN : MAX_ANSWER)
  const isStream = /^text\/event-stream/i.test(answer?.field('content-type')[0] ?? '')
  const hasEvents = answer !== null && exchange.error !== 'too_large' && (isStream || outgoing.readsEvents === true)
  // Events are the content once more.
  share.keep(hasEvents ? 2 * content.length : content.length)
  return {
    traffic: options.traffic,
    variant: options.variantNumber,
    method: outgoing.method,
    target: requestTarget,
    fields,
    sentBody: outgoing.body,
    atMs: sentAtMs - options.startedAtMs,
    status: answer?.status ?? null,
    answerFields: answer?.fields ?? [],
    body: content.toString(),
    ms: Math.max(0, endMs - sentAtMs),
    error: exchange.error,
    events: hasEvents ? new EventReader().eventsOf(answer.parts, sentAtMs) : [],
    firstMs: answer?.parts[0] === undefined ? null : answer.parts[0].atMs - sentAtMs,
    facts: {},
    tokens: null,
  }
}

async function trustOf({ certificate, serverName }: Outgoing, context: RunContext): Promise<ClientTrust> {
  const { trust, address } = context.target
  if (!address.isTls) return trust
  return {
    ...trust,
    name: serverName ?? trust.name,
    ...(certificate == null ? {} : { client: await clientPair(context, certificate) }),
  }
}

/** Marks, credential and the fields of the demo. */
export function fieldsOf(
  outgoing: Pick<Outgoing, 'headers' | 'bearer' | 'basic' | 'cookies' | 'isUnmarked'>,
  { context, variant }: SendOptions,
): CheckField[] {
  const { bearer, basic } = outgoing
  const credential: Record<string, string> =
    variant?.bearer != null
      ? { authorization: `Bearer ${variant.bearer}` }
      : bearer !== null
        ? { authorization: `Bearer ${bearer}` }
        : basic != null
          ? { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }
          : {}
  const own = { ...lowerCase(outgoing.headers), ...credential, ...lowerCase(variant?.headers ?? {}) }
  if (outgoing.cookies === true && context.jar.size > 0 && own.cookie === undefined)
    own.cookie = [...context.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const names = new Set(Object.keys(own))
  const marks = outgoing.isUnmarked === true ? [] : markFields(context)
  return [
    ...marks
      .filter(([name]) => !names.has(name.toLowerCase()) || name === 'baggage')
      .map(
        ([name, value]): CheckField =>
          name === 'baggage' && own.baggage !== undefined ? [name, `${own.baggage},${value}`] : [name, value],
      ),
    ...Object.entries(own).filter(([name]) => name !== 'baggage'),
  ]
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

const MAX_COOKIES = 100

function keepCookies({ jar }: RunContext, answer: ClientAnswer): void {
  for (const line of fieldValues(answer.fields, 'set-cookie')) {
    const [pair = ''] = line.split(';', 1)
    const equals = pair.indexOf('=')
    if (equals < 1 || jar.size >= MAX_COOKIES) continue
    const name = pair.slice(0, equals).trim()
    if (isExpired(line)) jar.delete(name)
    else jar.set(name, pair.slice(equals + 1).trim())
  }
}

/** RFC 6265, 5.2.1 and 5.2.2: Max-Age wins. */
function isExpired(line: string): boolean {
  const age = /;\s*max-age=(-?\d+)/i.exec(line)?.[1]
  if (age !== undefined) return Number(age) <= 0
  const date = /;\s*expires=([^;]{1,40})/i.exec(line)?.[1]
  return date !== undefined && Date.parse(date) <= Date.now()
}
