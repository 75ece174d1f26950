/** What was recorded of the scenes of a pair, in the form that judges read. */
import type {
  ArrivalViolation,
  ArrivedRequest,
  ExchangeEvidence,
  Mode,
  ReadAnswer,
  SceneEvidence,
  SentRequest,
} from '../checks/translate/types.ts'
import type { ArrivalView, Call, Evidence } from '../client/evidence.ts'
import type { Operation, Wire, WireAnswer, WireRequest } from '../wires/types.ts'
import { wireOf } from '../wires/wires.ts'
import type { Pair } from './pair.ts'
import { labelOf, type PlannedScene } from './scene-requests.ts'
import { answeredAnswer, arrivedRequest, receivedAnswer, sentRequest } from './wire-requests.ts'

/** Clocks of the halves may differ by this much when arrivals of one step are separated. */
const CLOCK_MS = 50

/** Scenes whose first request was not sent are left out. */
export function sceneEvidence(
  evidence: Evidence,
  planned: readonly PlannedScene[],
  pair: Pair,
  wires: readonly Wire[],
): SceneEvidence[] {
  const byLabel = new Map(evidence.calls.map(call => [call.label, call]))
  return planned.flatMap((one): SceneEvidence[] => {
    const calls: Call[] = []
    for (let turn = 0; turn <= (one.scene.turns ?? []).length; turn++) {
      const call = byLabel.get(labelOf(one, turn))
      if (call === undefined) break
      calls.push(call)
    }
    if (calls.length === 0) return []
    const arrivals = arrivalsOfTurns(calls, one, wires)
    const reading: Reading = { operation: one.scene.operation, mode: one.mode, pair, wires }
    const exchanges = calls.map((call, index) => readExchange(call, arrivals[index]!, reading))
    return [{ scene: one.scene, mode: one.mode, exchanges }]
  })
}

/**
 * The requests of each turn that came on a wire; others ask a guard, for example. The turns of a loop have one marker, so time
 * separates their arrivals. A turn that was answered had one, however fast it was.
 */
function arrivalsOfTurns(calls: readonly Call[], { scene }: PlannedScene, wires: readonly Wire[]): ArrivalView[][] {
  const onWires = ({ arrivals }: Call): ArrivalView[] =>
    arrivals.filter(({ method, target }) => wireOf(wires, method, target) !== null)
  if ((scene.turns ?? []).length === 0) return calls.map(onWires)
  const turns: ArrivalView[][] = calls.map(() => [])
  let turn = 0
  for (const arrival of onWires(calls.at(-1)!)) {
    const next = calls[turn + 1]
    const isLater = next !== undefined && arrival.record.head_at_ms >= next.record.sentAtMs - CLOCK_MS
    if (isLater && turns[turn]!.length > 0) turn += 1
    turns[turn]!.push(arrival)
  }
  return turns
}

interface Reading {
  operation: Operation
  mode: Mode
  pair: Pair
  wires: readonly Wire[]
}

/** A call as the readers of its wires read it. `arrivals`: those that are judged. */
export function readExchange(
  call: Call,
  arrivals: readonly ArrivalView[],
  { operation, mode, pair: { client, upstream }, wires }: Reading,
): ExchangeEvidence {
  const last = arrivals.at(-1)
  const wireOfArrival = (arrival: ArrivalView): Wire => wireOf(wires, arrival.method, arrival.target)?.wire ?? upstream
  const answered = last === undefined ? null : answeredAnswer(last.record.answered)
  const received = receivedAnswer(call.response)
  const arrived = arrivals.map(
    (arrival): ArrivedRequest => ({
      ...readRequest(arrivedRequest(arrival), wireOfArrival(arrival), operation),
      wire: wireOfArrival(arrival).id,
      violations: (arrival.record.violations ?? []) as ArrivalViolation[],
      endedMs: endedAfter(arrival, call),
    }),
  )
  const wantsStream = arrived.at(-1)?.request?.stream === true
  return {
    sent: readRequest(sentRequest(call), client, operation),
    arrivals: arrived,
    answered:
      answered === null ? null : readAnswer(answered, wireOfArrival(last!), operation, isStream(answered, wantsStream)),
    received: received === null ? null : readAnswer(received, client, operation, mode === 'stream'),
  }
}

/** A gateway may request a complete response although the client streams, and streams of Gemini may be one list of JSON. */
function isStream({ fields }: WireAnswer, wantsStream: boolean): boolean {
  const type = fields.findLast(([name]) => name.toLowerCase() === 'content-type')?.[1].toLowerCase() ?? ''
  return wantsStream || type.includes('event-stream') || type.includes('eventstream')
}

function readRequest(native: WireRequest, wire: Wire, operation: Operation): SentRequest {
  if (operation !== 'embed') return { native, request: wire.readRequest(native) }
  const embedding = wire.embeddings?.readRequest(native)
  return { native, request: null, ...(embedding === undefined ? {} : { embedding }) }
}

function readAnswer(native: WireAnswer, wire: Wire, operation: Operation, isStreamed: boolean): ReadAnswer {
  const error = wire.readError(native)
  const nothing = { native, reply: null, stream: null, error }
  if (error !== null) return nothing
  if (operation === 'count') return { ...nothing, count: wire.count?.read(native) ?? null }
  if (operation === 'embed') {
    const embedding = wire.embeddings?.readReply(native)
    return { ...nothing, ...(embedding === undefined ? {} : { embedding }) }
  }
  if (!isStreamed) return { ...nothing, reply: wire.readReply(native) }
  const stream = wire.readStream(native)
  return { ...nothing, reply: stream.reply, stream, error: stream.error }
}

/** When the gateway gave the request up, after the client left. */
function endedAfter({ record }: ArrivalView, { exchange }: Call): number | null {
  if (!exchange.hasLeft || exchange.leftAtMs === null) return null
  const { ended, ended_ms: at } = record
  return ended === null || ended === 'kept' || at === null ? null : Math.max(0, Math.round(at - exchange.leftAtMs))
}
