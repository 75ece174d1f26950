/** The plan of a scene: what is sent on the client wire, and what the route of the upstream replies. */
import type { JsonObject } from 'svc/plugin'
import type { Plan } from '../catalog/check.ts'
import type { Mode, Scene, SceneTurn } from '../checks/translate/types.ts'
import type { ConnectionSpec, ExchangeRecord } from '../client/exchange.ts'
import type { RequestSpec } from '../client/request.ts'
import type { Field } from '../client/response-parser.ts'
import type { Reply, Request, ResultPart, Turn, Wire, WireRequest } from '../wires/types.ts'
import type { Marks } from './llm-routes.ts'
import { withMarker, withMarkerInInput } from './marker.ts'
import { receivedAnswer, routeOfWire, wireRequest } from './wire-requests.ts'

export interface SceneContext {
  client: Wire
  model: string
  marks: Marks
  /** Fields of the routes file. */
  fields: readonly Field[]
}

/** One scene in one mode. */
export interface PlannedScene {
  scene: Scene
  mode: Mode
}

/** Silence after which a stream is given up. */
const SILENCE_MS = 10_000
/** For the answer to a request whose upstream fails, since gateways wait before they repeat it. */
const PATIENCE_MS = 30_000
/** How long an upstream is watched after the client has left. */
const WATCH_MS = 5_500

export function plannedScenes(scenes: readonly Scene[]): PlannedScene[] {
  return scenes.flatMap(scene => scene.modes.map(mode => ({ scene, mode })))
}

/** By which evidence is found again. `turn` counts from 0. */
export function labelOf({ scene, mode }: PlannedScene, turn: number): string {
  return turn === 0 ? `${scene.id} ${mode}` : `${scene.id} ${mode} turn ${turn + 1}`
}

/** The first requests of all scenes in order, and then those that follow from what came back. */
export function planOf(planned: readonly PlannedScene[], context: SceneContext): Plan {
  const first = planned.map(one => connectionOf(one, context, 0, []))
  const loops = planned.filter(({ scene }) => (scene.turns ?? []).length > 0)
  const breaks = planned.some(({ scene }) => scene.breaks === true)
  if (loops.length === 0) return { connections: first, inOrder: true, ...(breaks ? { waitsForService: true } : {}) }
  return {
    connections: first,
    inOrder: true,
    maxFollowed: loops.reduce((sum, { scene }) => sum + scene.turns!.length, 0),
    follow: records => nextTurn(loops, context, records),
  }
}

/** The next turn of the first loop that is not at its end. */
function nextTurn(
  loops: readonly PlannedScene[],
  context: SceneContext,
  records: readonly ExchangeRecord[],
): ConnectionSpec | null {
  for (const loop of loops) {
    const own = recordsOf(loop, records)
    if (own.length === 0 || own.length > loop.scene.turns!.length) continue
    const replies = own.map(record => replyOf(record, loop.mode, context.client))
    const complete = replies.filter(reply => reply !== null)
    // A client that got no reply has nothing to answer.
    if (complete.length < replies.length || !hasCalls(complete.at(-1)!, loop.scene.turns![own.length - 1]!)) continue
    return connectionOf(loop, context, own.length, complete)
  }
  return null
}

function hasCalls({ parts }: Reply, { results }: SceneTurn): boolean {
  const calls = parts.filter(({ type }) => type === 'call').length
  return results.every(({ call }) => call < calls)
}

function recordsOf(planned: PlannedScene, records: readonly ExchangeRecord[]): ExchangeRecord[] {
  const labels = [0, ...(planned.scene.turns ?? []).map((_turn, index) => index + 1)].map(turn =>
    labelOf(planned, turn),
  )
  return records.filter(({ calls: [call] }) => labels.includes(call?.spec.label ?? ''))
}

function replyOf({ calls: [call] }: ExchangeRecord, mode: Mode, client: Wire): Reply | null {
  const answer = receivedAnswer(call?.response ?? null)
  if (answer === null || answer.status >= 300) return null
  return mode === 'stream' ? client.readStream(answer).reply : client.readReply(answer)
}

function connectionOf(
  planned: PlannedScene,
  context: SceneContext,
  turn: number,
  replies: readonly Reply[],
): ConnectionSpec {
  const { scene } = planned
  const { leave } = scene
  return {
    route: routeOfWire(context.client.id),
    requests: [requestOf(planned, context, turn, replies)],
    ...(leave?.events === undefined ? {} : { leaveWhen: received => eventsIn(received) >= leave.events! }),
    ...(leave === undefined ? {} : { leaveAfterMs: leave.afterMs ?? SILENCE_MS, untilEndedMs: WATCH_MS }),
  }
}

/** The number of events of SSE, or of chunks of the transfer coding where the wire has a binary stream. */
export function eventsIn(received: Buffer): number {
  const text = received.toString('latin1')
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  const isBinary = /^content-type: *application\/vnd\.amazon\.eventstream/im.test(text)
  return body.split(isBinary ? /\r\n[\da-f]+\r\n/ : /\r?\n\r?\n/).length - 1
}

function requestOf(
  planned: PlannedScene,
  { client, model, marks, fields }: SceneContext,
  turn: number,
  replies: readonly Reply[],
): RequestSpec {
  const { scene, mode } = planned
  const name = scene.model ?? model
  const isLoop = (scene.turns ?? []).length > 0
  const write = (marker: string): WireRequest => {
    if (scene.operation === 'embed') return client.embeddings!.write(withMarkerInInput(scene.embedding!, marker), name)
    const request = continued(withMarker(scene.request, marker, { isLoop }), scene, replies)
    return scene.operation === 'count'
      ? client.count!.write(request, { model: name, marks })
      : client.writeRequest(request, { model: name, marks, stream: mode === 'stream' })
  }
  const step = [scene.reply, ...(scene.turns ?? []).map(({ reply }) => reply)].map(keptViolations)
  return wireRequest(client, write, {
    fields,
    label: labelOf(planned, turn),
    silenceMs: SILENCE_MS,
    ...(scene.breaks === true ? { timeoutMs: PATIENCE_MS } : {}),
    ...(turn === 0 ? { script: () => [{ do: 'serve', step }] } : { sameAs: labelOf(planned, 0) }),
  })
}

/** The conversation with the replies that came and the results of their calls. */
function continued(request: Request, { turns = [] }: Scene, replies: readonly Reply[]): Request {
  const added = replies.flatMap((reply, index): Turn[] => {
    const { results, text } = turns[index]!
    const calls = reply.parts.filter(part => part.type === 'call')
    const parts = results.map(({ call, parts: own, error = false }): ResultPart => {
      const { id, name } = calls[call]!
      return { type: 'result', id, name, parts: [...own], error }
    })
    return [
      { role: 'assistant', parts: reply.parts, native: reply.native },
      { role: 'user', parts: [...parts, ...(text === undefined ? [] : [{ type: 'text' as const, text }])] },
    ]
  })
  return { ...request, turns: [...request.turns, ...added] }
}

/** What arrives is checked, and violations are kept, but nothing is refused. Failures are not checked. */
function keptViolations(step: Readonly<Record<string, unknown>>): JsonObject {
  const given = step as JsonObject
  if (['fail', 'abort', 'respond'].some(key => given[key] !== undefined)) return given
  return { ...given, llm: { validation: 'warn', ...(given.llm as JsonObject | undefined) } }
}
