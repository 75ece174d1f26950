/** Actions of an expectation of MockServer, as steps of a rule. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { textOf, type Stub } from '../stub/stub.ts'
import type { UpstreamList } from '../stub/upstreams.ts'
import { lineList, readResponse } from './response.ts'
import { templateText } from './template.ts'
import { fixedDelay, readDelay } from './times.ts'

/** What a rule does: a step, a list, or samples that are tried in turn. */
export interface Action {
  then: Json
  /** Members of the rule. */
  members?: JsonObject
  /** Rules before this one, with their share of what is left. */
  samples?: readonly { then: Json; sample: number }[]
}

const CODE = [
  'httpResponseClassCallback',
  'httpResponseObjectCallback',
  'httpForwardClassCallback',
  'httpForwardObjectCallback',
  'httpWebSocketResponse',
  'httpForwardTemplate',
  'httpForwardValidateAction',
  'dnsResponse',
  'binaryResponse',
  'grpcStreamResponse',
  'grpcBidiResponse',
  'chaos',
  'rateLimit',
] as const
const MAX_STEPS = 50
const MAX_CHUNKS = 200
const MAX_EVENT_LINE = 1000

/** The actions that an expectation can have. */
export const ACTIONS: readonly string[] = [
  'httpResponse',
  'httpResponses',
  'httpResponseTemplate',
  'httpForward',
  'httpOverrideForwardedRequest',
  'httpForwardWithFallback',
  'httpError',
  'httpSseResponse',
  'httpLlmResponse',
  'steps',
  ...CODE,
]

/** The action; an empty response if there is none that has a counterpart. */
export async function readAction(expectation: Members, stub: Stub, upstreams: UpstreamList): Promise<Action> {
  for (const name of CODE)
    if (expectation.take(name) !== undefined) stub.disabled(expectation.at(name), `${name} has no counterpart`)
  const response = expectation.object('httpResponse')
  if (response !== undefined) return { then: await readResponse(response, stub) }
  if (expectation.has('httpResponses')) return readResponses(expectation, stub)
  const template = expectation.object('httpResponseTemplate')
  if (template !== undefined) return { then: await readTemplate(template, stub) }
  const error = expectation.object('httpError')
  if (error !== undefined) return { then: readError(error, stub) }
  const sse = expectation.object('httpSseResponse')
  if (sse !== undefined) return { then: readEvents(sse, stub) }
  const llm = expectation.object('httpLlmResponse')
  if (llm !== undefined) return { then: readLlm(llm, stub) }
  if (expectation.has('steps')) return readSteps(expectation, stub, upstreams)
  return readForward(expectation, stub, upstreams)
}

async function readResponses(expectation: Members, stub: Stub): Promise<Action> {
  const path = expectation.at('httpResponses')
  const mode = (expectation.text('responseMode') ?? 'SEQUENTIAL').toUpperCase()
  const weights = expectation.list('responseWeights').map(Number)
  const all: JsonObject[] = []
  for (const [index, one] of expectation.list('httpResponses').slice(0, MAX_STEPS).entries())
    all.push(await readResponse(new Members((isRecord(one) ? one : {}) as JsonObject, [...path, index]), stub))
  const switchAfter = expectation.number('switchAfter') ?? 1
  if (expectation.list('httpResponses').length > MAX_STEPS) stub.lost(path, `at most ${MAX_STEPS} responses are used`)
  if (all.length === 0) {
    stub.disabled(path, 'expected a list of responses')
    return { then: { respond: {} } }
  }
  if (all.length === 1) return { then: all[0]! }
  if (mode === 'RANDOM' || mode === 'WEIGHTED') {
    const shares = all.map((_, index) => (mode === 'WEIGHTED' ? Math.max(0, weights[index] ?? 1) : 1))
    let left = shares.reduce((sum, share) => sum + share, 0)
    const samples = all.slice(0, -1).flatMap((then, index) => {
      const sample = shares[index]! / left
      left -= shares[index]!
      return sample > 0 ? [{ then, sample: Math.min(1, sample) }] : []
    })
    return { then: all.at(-1)!, samples }
  }
  if (mode === 'SWITCH')
    return { then: all.map((step, index) => ({ ...step, times: index === all.length - 1 ? 'always' : switchAfter })) }
  if (mode !== 'SEQUENTIAL') stub.disabled(expectation.at('responseMode'), 'this mode has no counterpart')
  return { then: all, members: { loop: true } }
}

/** Steps of which one responds; what the others do is lost. */
async function readSteps(expectation: Members, stub: Stub, upstreams: UpstreamList): Promise<Action> {
  const path = expectation.at('steps')
  const all = expectation.list('steps').map(one => (isRecord(one) ? (one as JsonObject) : {}))
  const isAction = (one: JsonObject): boolean => Object.keys(one).some(name => ACTIONS.includes(name))
  const responders = all.filter(one => one.responder === true)
  const [responder, ...others] = responders.length > 0 ? responders : all.filter(isAction)
  if (responder === undefined || others.length > 0 || !isAction(responder)) {
    stub.disabled(path, 'expected one step that responds')
    return { then: { respond: {} } }
  }
  for (const [index, one] of all.entries())
    if (one !== responder) stub.lost([...path, index], 'only the step that responds has a counterpart')
  const given = new Members(responder, [...path, all.indexOf(responder)])
  given.ignore('responder', 'blocking', 'timeout', 'failurePolicy')
  const action = await readAction(given, stub, upstreams)
  stub.others(given, 'lost')
  return action
}

async function readTemplate(template: Members, stub: Stub): Promise<JsonObject> {
  const delay = readDelay(template, stub)
  const type = (template.text('templateType') ?? 'JAVASCRIPT').toUpperCase()
  const converted = templateText(type, template.text('template') ?? '')
  stub.others(template, 'lost')
  const empty = { respond: {} }
  if ('problem' in converted) {
    stub.disabled(template.at('template'), converted.problem)
    return empty
  }
  let response: unknown
  try {
    response = JSON.parse(converted.text)
  } catch {
    response = null
  }
  if (!isRecord(response)) {
    stub.disabled(template.at('template'), 'only templates of a JSON object have a counterpart')
    return empty
  }
  const step = await readResponse(new Members(response as JsonObject, template.at('template')), stub, true)
  return delay === null ? step : { delay, ...step }
}

function readError(error: Members, stub: Stub): JsonObject {
  const delay = readDelay(error, stub)
  if (error.take('responseBytes') !== undefined)
    stub.lost(error.at('responseBytes'), 'bytes before the connection is closed are not sent')
  error.ignore('dropConnection')
  stub.others(error, 'lost')
  return { ...(delay === null ? {} : { delay }), abort: 'close' }
}

function readForward(expectation: Members, stub: Stub, upstreams: UpstreamList): Action {
  const fallback = expectation.object('httpForwardWithFallback')
  if (fallback !== undefined) stub.lost(fallback.path, 'the fallback is not used')
  const plain = expectation.object('httpForward') ?? fallback?.object('httpForward')
  if (fallback !== undefined)
    fallback.ignore('httpResponse', 'fallbackResponse', 'fallbackOnStatusCodes', 'fallbackOnTimeout')
  const override = expectation.object('httpOverrideForwardedRequest')
  if (plain !== undefined) {
    const delay = readDelay(plain, stub)
    const forward = upstreamOf(plain, stub, upstreams)
    stub.others(plain, 'lost')
    return { then: { ...(delay === null ? {} : { delay }), ...forward } }
  }
  if (override !== undefined) return { then: readOverride(override, stub, upstreams) }
  if (!stub.isDisabled) stub.disabled(expectation.path, 'the expectation has no action')
  return { then: { respond: {} } }
}

function readOverride(override: Members, stub: Stub, upstreams: UpstreamList): JsonObject {
  const delay = readDelay(override, stub)
  const request = override.object('requestOverride') ?? override.object('httpRequest')
  const address = request?.object('socketAddress')
  const lines = request === undefined ? [] : lineList(request.take('headers'), request.at('headers'))
  const host = lines.find(([name]) => name.toLowerCase() === 'host')?.[1]
  const set = stub.headers(lines.filter(([name]) => name.toLowerCase() !== 'host'))
  if (request !== undefined) stub.others(request, 'lost')
  stub.others(override, 'lost')
  const target =
    address ??
    (host === undefined
      ? undefined
      : new Members(hostAddress(host, request?.take('secure') === true), override.at('requestOverride')))
  if (target === undefined) {
    stub.disabled(override.path, 'the upstream is that of the request')
    return { respond: {} }
  }
  const { forward } = upstreamOf(target, stub, upstreams)
  if (forward === undefined) return { respond: {} }
  return {
    ...(delay === null ? {} : { delay }),
    forward: Object.keys(set).length === 0 ? forward : { upstream: forward, set_headers: set },
  }
}

function hostAddress(host: string, isSecure: boolean): JsonObject {
  const [name = '', port] = host.split(':')
  return { host: name, ...(port === undefined ? {} : { port: Number(port) }), scheme: isSecure ? 'HTTPS' : 'HTTP' }
}

/** `forward` to a host and port; an empty response, after a finding, if it cannot be an upstream. */
function upstreamOf(given: Members, stub: Stub, upstreams: UpstreamList): JsonObject {
  const scheme = (given.text('scheme') ?? 'HTTP').toLowerCase()
  const [host, port] = [given.text('host') ?? '', given.number('port')]
  const name = upstreams.nameOf(`${scheme}://${host}${port === undefined ? '' : `:${port}`}`)
  if (name !== undefined) return { forward: name }
  stub.disabled(given.path, 'expected the host and port of an HTTP server')
  return { respond: {} }
}

function readEvents(sse: Members, stub: Stub): JsonObject {
  const delay = readDelay(sse, stub)
  const headers = stub.headers(lineList(sse.take('headers'), sse.at('headers')))
  const status = sse.number('statusCode') ?? 200
  const events = sse.list('events')
  if (events.length > MAX_CHUNKS) stub.lost(sse.at('events'), `at most ${MAX_CHUNKS} events are sent`)
  const chunks = events.slice(0, MAX_CHUNKS).map((event, index) => {
    const given = new Members((isRecord(event) ? event : {}) as JsonObject, [...sse.at('events'), index])
    const wait = given.object('delay')
    const chunk = {
      after_ms: wait === undefined ? 0 : fixedDelay(wait, stub),
      event: {
        ...eventLine(given, 'event', stub),
        ...eventLine(given, 'id', stub),
        data: given.take('data') ?? '',
      },
    }
    stub.others(given, 'lost')
    return chunk
  })
  sse.ignore('closeConnection')
  stub.others(sse, 'lost')
  return {
    ...(delay === null ? {} : { delay }),
    respond: {
      status,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(chunks.length === 0 ? {} : { chunks }),
      template: false,
    },
  }
}

/** A member that is a line of an event (HTML, 9.2.6). */
function eventLine(event: Members, name: 'event' | 'id', stub: Stub): JsonObject {
  if (!event.has(name)) return {}
  const text = textOf(event.take(name))
  if (text.length <= MAX_EVENT_LINE && !/[\r\n\0]/.test(text)) return { [name]: text }
  stub.lost(event.at(name), `expected one line of at most ${MAX_EVENT_LINE} characters`)
  return {}
}

function readLlm(llm: Members, stub: Stub): JsonObject {
  for (const name of ['conversationPredicates', 'embedding', 'rerank', 'moderation'])
    if (llm.take(name) !== undefined) stub.disabled(llm.at(name), `${name} has no counterpart`)
  const completion = llm.object('completion') ?? llm
  const calls = completion.list('toolCalls').flatMap(call => {
    if (!isRecord(call)) return []
    const given = call.arguments as Json | undefined
    return [
      {
        name: textOf(call.name as Json),
        args: argumentsOf(given),
        ...(typeof call.id === 'string' ? { id: call.id } : {}),
      },
    ]
  })
  const text = completion.text('text')
  const usage = completion.object('usage')
  const tokens = {
    prompt_tokens: usage?.number('inputTokens'),
    completion_tokens: usage?.number('outputTokens'),
  }
  const given = Object.fromEntries(
    Object.entries(tokens).filter((entry): entry is [string, number] => entry[1] !== undefined),
  )
  const pace = completion.object('streamingPhysics')
  const perSecond = pace?.number('tokensPerSecond')
  const stream: JsonObject = perSecond === undefined ? {} : { tokens_per_second: Math.max(1, Math.round(perSecond)) }
  completion.ignore('streaming', 'stopReason')
  llm.ignore('provider', 'model')
  stub.others(completion, 'lost')
  if (completion !== llm) stub.others(llm, 'lost')
  delete stub.match.path
  delete stub.match.method
  stub.and({ llm: { op: 'chat' } })
  stub.changed(llm.path, 'it answers on the routes of the mock models, such as /ai/openai, instead of its path')
  return {
    reply: {
      ...(text === undefined ? (calls.length === 0 ? { text: '' } : {}) : { text }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(Object.keys(given).length === 0 ? {} : { usage: given }),
      ...(Object.keys(stream).length === 0 ? {} : { stream }),
      template: false,
    },
  }
}

function argumentsOf(given: Json | undefined): Json {
  if (typeof given !== 'string') return given ?? {}
  try {
    return JSON.parse(given) as Json
  } catch {
    return given
  }
}
