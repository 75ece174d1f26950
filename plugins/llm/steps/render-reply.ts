/** Stores what a route keeps, and makes of the result what is sent. */
import { errorResponse } from '../call/error-responses.ts'
import type { ModelCall, StreamedEvents } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import type { Parsed, ResultOf } from '../contract/parsed.ts'
import type { HandlerReply, RenderContext, Rendered, ReplyPlan } from '../contract/route.ts'
import type { StreamEvent } from '../contract/stream.ts'
import type { FaultSpec } from '../headers/faults.ts'
import { itemOf } from '../shapes/shape.ts'
import { shapeError } from '../shapes/shape-error.ts'
import { shapeEvents } from '../shapes/shape-events.ts'
import { shapeWhole } from '../shapes/shape-whole.ts'
import { breakAt, type BreakingEvents } from '../streaming/break-point.ts'
import { gaps, MAX_GAPS_MS } from '../streaming/pace.ts'
import { chooseShape, shapeOfError } from './choose-shape.ts'
import { takeBody } from './large-reply.ts'

/** A large complete reply is counted before anything is stored. Throws what the route throws. */
export function keepAndRender(call: ModelCall, services: CallServices): boolean | Promise<boolean> {
  const { modelRoute, isStream, output } = call
  const context = renderContext(call, services)
  if (modelRoute?.keep === undefined) return render(call, context)
  const keep = (): Promise<void> => modelRoute.keep!(call.result!, call.parsed!, context)
  if (isStream || !output.isLarge) return keep().then(() => render(call, context))
  return count(call, renderWhole(call, context)).then(async isWanted => {
    await keep()
    return isWanted
  })
}

function render(call: ModelCall, context: RenderContext): boolean | Promise<boolean> {
  if (call.recipient!.isGone) return left(call)
  if (itemOf(shapeOfError(call), 'error-200') !== undefined && call.entry.streams === 'as asked')
    return errorInReply(call)
  if (call.isStream) {
    call.streamed = streamOf(call, context)
    return true
  }
  const rendered = renderWhole(call, context)
  if (call.output.isLarge) return count(call, rendered)
  call.whole = { rendered, bytes: null }
  return true
}

/** A complete reply in its shape. */
function renderWhole(call: ModelCall, context: RenderContext): Rendered {
  const { modelRoute, parsed, result } = call
  if (modelRoute === null) return handled(parsed!) as Rendered
  const rendered = modelRoute.render(result!, parsed!, context)
  const chosen = chooseShape(call, null, call.shapeOfReply)
  if (chosen === null || (rendered.status ?? 200) !== 200) return rendered
  call.shapeOfWhole = chosen.shape
  return shapeWhole(rendered, chosen)
}

/** An error in place of a reply whose status is that of a success (`error-200`). */
function errorInReply(call: ModelCall): boolean {
  call.isStream = false
  call.shapeOfWhole = shapeOfError(call)
  const error = errorResponse(call.instance, call, 'server_error', {})
  const { headers, body } = shapeError(error, call.shapeOfWhole)
  call.whole = { rendered: { body, contentType: headers['Content-Type']! }, bytes: null }
  return true
}

/** What a route that answers by itself has answered. */
function handled({ wire }: Parsed): HandlerReply {
  return wire as HandlerReply
}

async function count(call: ModelCall, rendered: Rendered): Promise<boolean> {
  call.whole = { rendered, bytes: await takeBody(call.output, rendered.body) }
  return !call.recipient!.isGone || left(call)
}

function left({ recipient }: ModelCall): boolean {
  recipient!.leave()
  return false
}

function renderContext(call: ModelCall, { svc, limits }: CallServices): RenderContext {
  const { request, instance } = call
  const nowMs = Date.now()
  return {
    requestId: call.requestId,
    created: Math.floor(nowMs / 1000),
    nowMs,
    provider: instance.name,
    finishReasons: call.finishReasons,
    limits,
    url: path => svc.http.url(request, path),
    session: svc.http.session(request).key,
    plan: () => replyPlan(call),
    output: call.output,
  }
}

function replyPlan({ svc, timing, result, latency, breaking }: ModelCall): ReplyPlan {
  const tokens = result?.op === 'chat' ? result.completionTokens : 0
  const maxMs = MAX_GAPS_MS[svc.config.publicMode ? 'public' : 'normal']
  return {
    ttftMs: timing?.ttftMs ?? latency.ttftMs,
    gapMs:
      timing === null
        ? gaps({ ...latency, jitterPercent: 0 }, tokens, maxMs, () => '')()
        : timing.gapsMs / Math.max(1, tokens - 1),
    failsAfter: breaking?.break?.what === 'stream_error' ? breaking.break.afterTokens : null,
  }
}

const ERROR_FIRST: FaultSpec = {
  label: 'stream_error',
  break: { what: 'stream_error', afterTokens: 0 },
  percent: 100,
  source: 'X-Svc-Stream-Shape: error-first',
}

function streamOf(call: ModelCall, context: RenderContext): StreamedEvents {
  const { route, modelRoute, parsed, result, breaking } = call
  const framing = modelRoute?.framingOf?.(parsed!) ?? route.framing ?? 'sse'
  const plain = eventsOf(call, parsed!, result!, context)
  const chosen = chooseShape(call, framing, call.shapeOfReply)
  const tokens = result?.op === 'chat' ? result.completionTokens : 0
  // A stream with fewer tokens than the break point completes, and no fault is reported.
  const broken = (events: Iterable<StreamEvent>, wanted: FaultSpec['break']): BreakingEvents =>
    wanted === undefined ? { events } : breakAt(events, wanted, tokens)
  if (chosen === null) return { framing, shape: null, ...broken(plain, breaking?.break), fault: breaking }
  const { shape, shapes } = chosen
  context.output.take(Number(itemOf(shape, 'huge') ?? 0))
  if (itemOf(shape, 'error-first') !== undefined)
    return { framing, shape, ...broken([], ERROR_FIRST.break), fault: ERROR_FIRST }
  const events = shapeEvents(plain, shape, shapes, result?.op === 'chat' ? result : null)
  return { framing, shape, ...broken(events, breaking?.break), fault: breaking }
}

function eventsOf(
  { modelRoute }: ModelCall,
  parsed: Parsed,
  result: ResultOf<Parsed>,
  context: RenderContext,
): Iterable<StreamEvent> {
  if (modelRoute !== null) return modelRoute.stream?.(result, parsed, context) ?? []
  const reply = handled(parsed)
  return 'events' in reply ? reply.events : []
}

/** Headers of a streamed reply that the route adds. */
export function streamHeadersOf({ modelRoute, parsed, result }: ModelCall): Record<string, string> | undefined {
  if (modelRoute !== null) return modelRoute.streamHeaders?.(result!, parsed!)
  return handled(parsed!).headers
}
