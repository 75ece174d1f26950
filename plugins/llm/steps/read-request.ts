/** From the bytes of a request to what the engine computes, or to the answer of a route that answers by itself. */
import { turnForBytes } from 'svc/toolkit'
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import type { OwnParsed, Parsed } from '../contract/parsed.ts'
import type { HandlerReply, HandlerRoute } from '../contract/route.ts'
import { readLatency } from '../streaming/pace.ts'
import { withTokenizer } from '../tokenizers/tokenizers.ts'
import { waitOrLeave } from './step.ts'

/** For a body that did not come with the request: the pipeline waits for the turn of one that did. */
export function takeTurn({ body }: ModelCall): boolean | Promise<boolean> {
  return turnForBytes(body.length)
}

/** A history is not in the body. */
export function takeTurnForHistory({ output }: ModelCall): boolean | Promise<boolean> {
  return turnForBytes(output.used)
}

/** The latency that its headers and its provider state. */
export function readLatencyOf(call: ModelCall, { svc }: CallServices): boolean {
  call.latency = readLatency(call.headers, call.instance.latency, svc.config.maxDelayMs)
  return true
}

/** A directive may state another latency, unless a header does or ends the request. */
export function waitLatency(call: ModelCall): boolean | Promise<boolean> {
  const { latencyMs } = call.latency
  if (latencyMs <= 0) return true
  call.defersLatency =
    call.header('x-svc-latency-ms') === undefined && call.header('x-svc-fail') === undefined && call.mayHoldDirective
  return call.defersLatency || waitOrLeave(call, latencyMs)
}

/** Throws `BadInput` for a wrong header. */
export function chooseTokenizer(call: ModelCall, { tokenizers }: CallServices): boolean | Promise<boolean> {
  const preparing = tokenizers.prepare(call.header('x-svc-tokenizer'), call.instance.tokenizers)
  if (preparing === null) return true
  return preparing.then(prepared => {
    call.tokenizers = prepared
    return true
  })
}

/** Throws what the route throws. */
export function readRequest(call: ModelCall): boolean | Promise<boolean> {
  const { route } = call
  if (route.parse === undefined) return handle(call, route)
  const parsing = call.parse()
  return parsing instanceof Promise ? parsing.then(parsed => accept(call, parsed)) : accept(call, parsing)
}

async function handle(call: ModelCall, route: HandlerRoute): Promise<boolean> {
  const wire = await route.handle(call.input())
  const parsed: OwnParsed<HandlerReply> = { op: 'own', promptTokens: 0, completionTokens: 0, wire }
  return accept(call, 'events' in wire ? { ...parsed, stream: true, ending: wire.ending } : parsed)
}

function accept(call: ModelCall, parsed: Parsed): boolean {
  const { tokenizers, entry, modelRoute } = call
  call.model = parsed.model ?? null
  call.parsedAt = performance.now()
  call.forgetJson()
  call.parsed = tokenizers === null ? parsed : withTokenizer(parsed, tokenizers)
  call.isStream =
    entry.streams === 'as asked'
      ? parsed.stream === true && (modelRoute === null || modelRoute.stream !== undefined)
      : entry.streams === 'always'
  return true
}

/** Throws `BadInput` for a wrong header. */
export function readProfile(call: ModelCall, { profiles }: CallServices): boolean {
  const text = call.header('x-svc-profile')
  if (text !== undefined) call.profile = profiles.ofHeader(text)
  return true
}
