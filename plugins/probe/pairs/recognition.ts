/** Finds out which pairs of wires a gateway has: each model gets one small request on each client wire. */
import { isRecord } from 'svc/toolkit'
import type { Check, Facts, Plan } from '../catalog/check.ts'
import type { Call } from '../client/evidence.ts'
import type { RequestSpec } from '../client/request.ts'
import type { Route, StepRunner } from '../client/step-runner.ts'
import { emptyRequest } from '../wires/neutral.ts'
import type { Wire } from '../wires/types.ts'
import { wireOf } from '../wires/wires.ts'
import type { LlmRoutes, RoutedModel } from './llm-routes.ts'
import { withMarker } from './marker.ts'
import { isClientWanted, isWanted, nameOfPair, type FoundPair, type Pair, type PairPattern } from './pair.ts'
import { answeredAnswer, receivedAnswer, routeOfWire, sentRequest, wireRequest } from './wire-requests.ts'

const MAX_MODELS = 40
const MAX_PAIRS = 30
const MAX_REQUESTS = 60
/** Requests at once. */
const AT_ONCE = 6
const MAX_REASON = 200
/** Exchanges of a pair that are compared byte for byte. */
const COMPARED = 3
const SPECIAL = /embed|image|dall-e|whisper|tts|speech|transcri|moderation|rerank|realtime|veo|imagen|sora/i

export interface RecognitionOptions {
  runner: StepRunner
  facts: Facts
  /** The gateway. */
  route: Route
  routes: LlmRoutes
  wires: readonly Wire[]
  patterns: readonly PairPattern[] | null
}

export interface Recognized {
  /** In the order of the report. */
  found: FoundPair[]
  /** Those that are tested. */
  pairs: RecognizedPair[]
  /** Whether a request arrived at all. */
  hasArrived: boolean
  server: string | null
  upstreamVersions: string[]
  /** Bodies come and go byte for byte, on the wire on which they were sent. */
  isForwarding: boolean
}

export interface RecognizedPair extends Pair {
  /** Fields of the routes file for the model. */
  fields: RoutedModel['headers']
}

interface Attempt {
  client: Wire
  model: RoutedModel
  call: Call
}

export async function recognize(options: RecognitionOptions): Promise<Recognized> {
  const clients = clientWires(options)
  const models = options.routes.models ?? (await listedModels(options, clients))
  const attempts: Attempt[] = []
  const wanted = models.flatMap(model =>
    clients.filter(({ id }) => model.wires === null || model.wires.includes(id)).map(client => ({ client, model })),
  )
  const asked = wanted.filter(({ client }) => isClientWanted(client.id, options.patterns)).slice(0, MAX_REQUESTS)
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const batch = asked.slice(at, at + AT_ONCE)
    const evidence = await ask(
      options,
      batch.map(one => recognition(options.routes.headers, one, nameOf(one))),
    )
    for (const one of batch) attempts.push({ ...one, call: evidence.call(nameOf(one)) })
  }
  const { found, pairs } = pairsOf(attempts, wanted, options)
  const arrived = attempts.filter(({ call }) => call.count > 0)
  return {
    found,
    pairs,
    hasArrived: arrived.length > 0,
    server: attempts.flatMap(({ call }) => call.values('server'))[0] ?? null,
    upstreamVersions: [...new Set(arrived.map(({ call }) => call.arrival!.record.protocol))],
    isForwarding: await isForwarding(options, pairs, attempts),
  }
}

const nameOf = ({ client, model }: Pick<Attempt, 'client' | 'model'>): string => `${client.id} ${model.name}`

/** Those that `--routes` gives a base, or all. */
function clientWires({ routes, wires }: RecognitionOptions): Wire[] {
  const bases = Object.keys(routes.bases)
  return wires.filter(
    ({ id }) => (bases.length === 0 || bases.includes(id)) && (routes.wires === null || routes.wires.includes(id)),
  )
}

/** The first list that a base has. */
async function listedModels(options: RecognitionOptions, clients: readonly Wire[]): Promise<RoutedModel[]> {
  for (const client of clients) {
    const path = LISTS[client.id]
    if (path === undefined) continue
    const evidence = await ask(options, [
      {
        label: 'models',
        path,
        fields: [['Accept', 'application/json']],
        extraFields: extra => fieldsOfClient(client, extra, options),
        script: () => [{ do: 'serve', step: null }],
        wire: client.id,
      },
    ])
    const names = modelsIn(receivedAnswer(evidence.first.response)?.body ?? Buffer.alloc(0))
    if (names.length === 0) continue
    const ordered = [...names.filter(({ isSpecial }) => !isSpecial), ...names.filter(({ isSpecial }) => isSpecial)]
    return ordered.slice(0, MAX_MODELS).map(({ name }) => ({ name, wires: null, headers: [] }))
  }
  return []
}

/** Paths of the lists of models. */
const LISTS: Readonly<Record<string, string>> = {
  chat: '/models',
  responses: '/models',
  messages: '/v1/models',
  gemini: '/v1beta/models',
  cohere: '/v1/models',
}

function modelsIn(body: Buffer): { name: string; isSpecial: boolean }[] {
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    return []
  }
  const list: unknown = isRecord(value) ? (value.data ?? value.models) : value
  if (!Array.isArray(list)) return []
  return list.flatMap(one => {
    const name: unknown = isRecord(one) ? (one.id ?? one.name) : one
    if (typeof name !== 'string' || name === '' || name.length > MAX_REASON || name.includes('*')) return []
    const mode = isRecord(one) && typeof one.mode === 'string' ? one.mode : ''
    return [{ name: name.replace(/^models\//, ''), isSpecial: SPECIAL.test(name) || SPECIAL.test(mode) }]
  })
}

type WireSpec = RequestSpec & { wire: string }

function fieldsOfClient(
  client: Wire,
  extra: readonly (readonly [string, string])[],
  { routes }: RecognitionOptions,
): [string, string][] {
  const bearer = extra.find(([name, value]) => name.toLowerCase() === 'authorization' && /^bearer /i.test(value))
  const others = extra.filter(field => field !== bearer)
  const own = bearer === undefined ? [] : client.credentials(bearer[1].slice(7).trim())
  return [...others, ...own, ...routes.headers].map(([name, value]) => [name, value])
}

function recognition(
  fields: RoutedModel['headers'],
  { client, model }: Pick<Attempt, 'client' | 'model'>,
  label: string,
  stream = false,
): WireSpec {
  const request = {
    ...emptyRequest(),
    turns: [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'Say yes.' }] }],
    params: { max_tokens: 100 },
  }
  const spec = wireRequest(
    client,
    marker => client.writeRequest(withMarker(request, marker, { isLoop: false }), { model: model.name, stream }),
    {
      fields: [...fields, ...model.headers],
      label,
      silenceMs: 6_000,
      script: () => [{ do: 'serve', step: { reply: { text: 'Yes.' } } }],
    },
  )
  return { ...spec, wire: client.id }
}

/** One small request on a client wire. */
export function modelPlan(client: Wire, model: string, fields: RoutedModel['headers']): Plan {
  const { wire, ...spec } = recognition(fields, { client, model: { name: model, wires: null, headers: [] } }, '')
  return { connections: [{ route: routeOfWire(wire), requests: [spec] }] }
}

function ask({ runner, facts, route }: RecognitionOptions, specs: readonly WireSpec[]): ReturnType<StepRunner['run']> {
  const check: Pick<Check, 'id' | 'plan'> = {
    id: 'TRN-PAIRS',
    plan: () => ({ connections: specs.map(({ wire, ...spec }) => ({ route: routeOfWire(wire), requests: [spec] })) }),
  }
  return runner.run(check, facts, route)
}

function pairsOf(
  attempts: readonly Attempt[],
  wanted: readonly Pick<Attempt, 'client' | 'model'>[],
  { wires, routes, patterns }: RecognitionOptions,
): { found: FoundPair[]; pairs: RecognizedPair[] } {
  const found: FoundPair[] = []
  const pairs: RecognizedPair[] = []
  const seen = new Set<string>()
  for (const { client, model, call } of attempts) {
    const { arrival } = call
    // A gateway may ask other services before, such as one for guardrails.
    const upstream = call.arrivals.flatMap(({ method, target }) => wireOf(wires, method, target)?.wire ?? [])[0] ?? null
    const own = { client: client.id, model: model.name }
    if (upstream === null) {
      const reason =
        arrival === null
          ? refusalText(call)
          : `arrived at ${arrival.target.slice(0, MAX_REASON)}, which is not the route of a wire`
      found.push({ ...own, pair: `${client.id}:?`, upstream: null, state: 'not routed', reason })
      continue
    }
    const pair = nameOfPair({ client, upstream })
    if (seen.has(pair)) continue
    seen.add(pair)
    const isAsked = isWanted(pair, patterns)
    const state = !isAsked ? 'not asked' : pairs.length >= MAX_PAIRS ? 'beyond the limit' : 'tested'
    found.push({ ...own, pair, upstream: upstream.id, state, reason: null })
    if (state !== 'tested') continue
    pairs.push({ client, upstream, model: model.name, fields: [...routes.headers, ...model.headers] })
  }
  const tried = new Set(attempts.map(({ client }) => client.id))
  for (const client of new Set(wanted.map(one => one.client))) {
    if (tried.has(client.id)) continue
    const model = wanted.find(one => one.client === client)!.model.name
    const state = isClientWanted(client.id, patterns) ? 'beyond the limit' : 'not asked'
    found.push({ client: client.id, model, pair: `${client.id}:?`, upstream: null, state, reason: null })
  }
  return { found: inOrder(found, wires), pairs: pairs.toSorted((a, b) => rankOf(a, wires) - rankOf(b, wires)) }
}

function rankOf({ client, upstream }: Pick<Pair, 'client' | 'upstream'>, wires: readonly Wire[]): number {
  return wires.indexOf(client) * wires.length + wires.indexOf(upstream)
}

/** By client wire, then by upstream wire; what was not routed comes last. */
function inOrder(found: readonly FoundPair[], wires: readonly Wire[]): FoundPair[] {
  const place = (id: string | null): number => (id === null ? wires.length : wires.findIndex(wire => wire.id === id))
  return found.toSorted((a, b) => place(a.client) - place(b.client) || place(a.upstream) - place(b.upstream))
}

/** The status and the beginning of what came back. */
function refusalText({ response, status, exchange }: Call): string {
  if (exchange.connectError !== null) return `no connection: ${exchange.connectError}`
  if (status === null) return 'nothing came back'
  const body = receivedAnswer(response)?.body.toString('utf8') ?? ''
  const text = body
    .replaceAll(/[^ -~]+/g, ' ')
    .trim()
    .slice(0, MAX_REASON)
  return `${status}${text === '' ? '' : ` ${text}`}`
}

/** Three exchanges of each pair, if each pair has the same wire on both sides. */
async function isForwarding(
  options: RecognitionOptions,
  pairs: readonly RecognizedPair[],
  attempts: readonly Attempt[],
): Promise<boolean> {
  if (pairs.length === 0 || pairs.some(({ client, upstream }) => client !== upstream)) return false
  const isSame = ({ client, model }: Pair): boolean =>
    attempts.filter(one => one.client === client && one.model.name === model).every(({ call }) => isSameBytes(call))
  if (!pairs.every(isSame)) return false
  for (const { client, model, fields } of pairs) {
    const one = { client, model: { name: model, wires: null, headers: [] } }
    const specs = Array.from({ length: COMPARED - 1 }, (_, index) =>
      recognition(fields, one, `again ${index}`, index === 0),
    )
    const { calls } = await ask(options, specs)
    if (!calls.every(isSameBytes)) return false
  }
  return true
}

function isSameBytes(call: Call): boolean {
  const { arrival, response } = call
  if (arrival === null || call.count > 1) return false
  const answered = answeredAnswer(arrival.record.answered)
  const received = receivedAnswer(response)
  return (
    answered !== null &&
    received !== null &&
    arrival.content.equals(sentRequest(call).body) &&
    answered.status === received.status &&
    answered.body.equals(received.body)
  )
}
