/** Applies the directives of a prompt, for clients whose headers do not survive. */
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import { commonHeaders } from '../call/error-responses.ts'
import { ProviderError, type ErrorDetails } from '../contract/errors.ts'
import {
  DirectiveProblem,
  ITEM_OF_HEADER,
  readDirective,
  REPLY_HEADERS,
  type Directive,
  type DirectiveReaders,
} from '../directives/directive.ts'
import type { PlacedDirective } from '../directives/prompt-lines.ts'
import { printable } from '../headers/credentials.ts'
import type { FaultSpec } from '../headers/faults.ts'
import { messageOf } from './apply-rules.ts'
import { statesReply } from './exact-reply.ts'
import { applyFault } from './fault.ts'
import { readLatencyOf } from './read-request.ts'
import { waitOrLeave } from './step.ts'

/** Characters of the response header. */
const MAX_SHOWN = 200
const NONE: readonly PlacedDirective[] = []
/** Of a request with directives, in the inspector. */
const DIRECTIVE_TAGS = ['directive']
/** Nobody waits for the items of a batch, and they have no streams. */
const OF_WAITING = ['x-svc-latency-ms', 'x-svc-ttft-ms']
/** Where requests have their texts, by the names of the formats. */
const TEXT_MEMBERS = ['messages', 'input', 'contents', 'prompt', 'message', 'texts', 'inputs', 'content', 'requests']

/**
 * Reads the directives of the prompt, which act after what headers ask for and before rules. Then the latency and the fault of the
 * provider act, which have waited for them. Throws the provider's error for a wrong directive, and the fault that one asks for.
 */
export function useDirectives(call: ModelCall, services: CallServices): boolean | Promise<boolean> {
  const reading = directivesOf(call)
  if (reading instanceof Promise) return reading.then(found => use(found, call, services))
  return use(reading, call, services)
}

function use(found: readonly PlacedDirective[], call: ModelCall, services: CallServices): boolean | Promise<boolean> {
  const due = found.length === 0 ? [] : readDue(found, call, services)
  if (due.length > 0) return act(due, call, services)
  return call.defersLatency || call.defersFault ? finish(null, call) : true
}

/** None if the request cannot be parsed: the route says later what is wrong with it. */
function directivesOf(call: ModelCall): readonly PlacedDirective[] | Promise<readonly PlacedDirective[]> {
  const { modelRoute } = call
  if (modelRoute === null || !call.readsDirectives) return NONE
  // What parsing stores is not stored before it is known that somebody asks for something.
  if (modelRoute.hasEffects === true && !call.mayHoldDirective) return NONE
  // A generation within the request has used them.
  const found = (): readonly PlacedDirective[] => (call.hasGenerated ? NONE : call.directives.found)
  try {
    const parsing = call.parse()
    return parsing instanceof Promise ? parsing.then(found, () => NONE) : found()
  } catch {
    return NONE
  }
}

/** The directives that act in this step of the conversation, those of the user first. */
function readDue(found: readonly PlacedDirective[], call: ModelCall, services: CallServices): Directive[] {
  const readers: DirectiveReaders = { ...services, isPublic: services.svc.config.publicMode }
  const ordered = [...found.filter(({ isOfUser }) => isOfUser), ...found.filter(({ isOfUser }) => !isOfUser)]
  try {
    return ordered.flatMap(({ line, isNew }) => {
      // A wrong one is reported once: while it is new.
      if (!isNew && !line.items.some(({ name }) => name === 'turn')) return []
      const directive = readDirective(line, readers)
      const { turn } = directive
      return turn === 'any' || (turn === 'new' ? isNew : turn === call.directives.turn) ? [directive] : []
    })
  } catch (error) {
    if (error instanceof DirectiveProblem) throw wrongDirective(error.message, call)
    throw error
  }
}

async function act(due: readonly Directive[], call: ModelCall, services: CallServices): Promise<boolean> {
  const acting: Directive[] = []
  for (const directive of due) if (!(await isSpent(directive, call, services))) acting.push(directive)
  const shown = printable(due.map(({ text }) => text).join('; ')).slice(0, MAX_SHOWN)
  call.shownDirective = acting.length < due.length ? `${shown}; spent` : shown
  call.svc.inspector.annotate(call.request, { tags: DIRECTIVE_TAGS })
  const added = headersOf(acting, call)
  if (added.size > 0) call.addHeaders(added)
  const unexpected = await refuseUnexpected(acting, call, services)
  if (unexpected) return false
  if (call.entry.rules !== 'item') readLatencyOf(call, services)
  return finish(faultOf(acting, call), call)
}

/** Whether a directive has acted as often as it says. Counts the request. */
async function isSpent({ times, text }: Directive, call: ModelCall, services: CallServices): Promise<boolean> {
  if (times === null) return false
  const { key } = call.svc.http.session(call.request)
  return (await services.directiveCounts.next(key, call.instance.name, text)) > times
}

/** The first directive with an item wins, and a header of the request over all. */
function headersOf(acting: readonly Directive[], call: ModelCall): ReadonlyMap<string, string> {
  const added = new Map<string, string>()
  const isReplyStated = REPLY_HEADERS.some(name => statesReply(call, name))
  for (const { headers } of acting)
    for (const [name, value] of headers) {
      // An item of a batch has only this header of the request that contains it.
      const given = name === 'x-svc-validation' ? call.outerHeader(name) : call.header(name)
      const isOfReply = REPLY_HEADERS.some(known => known === name)
      if (added.has(name) || (isOfReply ? isReplyStated : given !== undefined)) continue
      if (call.entry.rules === 'item' && OF_WAITING.includes(name)) continue
      added.set(name, value)
    }
  return added
}

/** An item of a batch has no stream that breaks. */
function faultOf(acting: readonly Directive[], call: ModelCall): FaultSpec | null {
  const fault = acting.find(directive => directive.fault !== null)?.fault ?? null
  return call.entry.rules === 'item' && fault?.break !== undefined ? null : fault
}

/** Responds to a request that is not as its directive expects; true: it is not. */
async function refuseUnexpected(
  acting: readonly Directive[],
  call: ModelCall,
  { svc }: CallServices,
): Promise<boolean> {
  const expect = acting.find(directive => directive.expect !== null)?.expect ?? null
  if (expect === null || call.request.headers['x-svc-expect'] !== undefined) return false
  const failure = await svc.http.checkExpectation(call.request, expect, messageOf(call))
  if (failure === null) return false
  if (failure.status === 400)
    throw wrongDirective(`expect: ${String((failure.body as { details?: unknown }).details)}`, call)
  if (call.inner !== null)
    throw new ProviderError('bad_request', {
      status: failure.status,
      message: `the request is not as its directive expects: ${JSON.stringify(failure.body)}`,
    })
  await call.reply.code(failure.status).headers(commonHeaders(call.instance, call)).send(failure.body)
  return true
}

/** Waits the latency, and applies the fault of the directive, or else that of the provider. */
function finish(fault: FaultSpec | null, call: ModelCall): boolean | Promise<boolean> {
  const { latencyMs } = call.latency
  const isStated = call.directiveHeaders?.has('x-svc-latency-ms') === true
  if ((call.defersLatency || isStated) && latencyMs > 0)
    return waitOrLeave(call, latencyMs).then(isWaiting => isWaiting && failOrGo(fault, call))
  return failOrGo(fault, call)
}

function failOrGo(fault: FaultSpec | null, call: ModelCall): boolean {
  // That of a header has been rolled already.
  if (!call.asksForFault) applyFault(fault ?? (call.defersFault ? call.instance.fail : null), call)
  return true
}

function wrongDirective(problem: string, call: ModelCall): ProviderError {
  const param = paramOf(call)
  return new ProviderError('bad_request', {
    message: `[svc \u2026]: ${problem}`,
    ...(param === undefined ? {} : { param }),
  })
}

/** What the format calls the texts of a request. */
function paramOf(call: ModelCall): string | undefined {
  const body = call.jsonOrNull()
  return body === null ? undefined : TEXT_MEMBERS.find(name => Object.hasOwn(body, name))
}

/** An error about a header that a directive stands for, in the words of the directive. */
export function inWordsOfDirective(facts: ErrorDetails, call: ModelCall): ErrorDetails {
  const { param: header, message } = facts
  const name = header?.toLowerCase() ?? ''
  if (call.directiveHeaders?.has(name) !== true || message === undefined) return facts
  const { facts: renamed } = wrongDirective(message.replace(`${header}: `, `${ITEM_OF_HEADER.get(name)}: `), call)
  return { ...facts, ...renamed }
}
