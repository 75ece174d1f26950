/** One stream: a request and its response. Decides about each message, and records what was done. */
import { type AnyRequest, MemoryPool, type Svc } from 'svc/plugin'
import { nearest } from 'svc/toolkit'
import type { CheckedRequest, GatewayService, ServiceFacts, ServiceOutcome } from '../gateway-services/types.ts'
import { KeptBody, MAX_TOTAL_BYTES } from './bodies/kept-body.ts'
import { FAULT_VALUES, parseFault, PROC_HEADER, type ProcFault } from './fault-header.ts'
import { faultPlan } from './fault-plan.ts'
import { answerOf, immediateAnswer, type Modes, moreTime } from './grpc/answer.ts'
import {
  clientAddress,
  metadataOf,
  partOf,
  type ProcessingRequest,
  type ProcessingResponse,
  rawHeadersOf,
  sideOf,
} from './grpc/messages.ts'
import type { Changes, Immediate, Message, Plan } from './plan.ts'
import type { Phase, Side } from './phase.ts'
import type { Processor } from './processors/processor.ts'
import { rulePlan } from './rules/rule-plan.ts'
import { StreamSide, UNCHANGED } from './side.ts'
import { StreamError } from './stream-error.ts'

const INVALID_ARGUMENT = 3
const INTERNAL = 13
const DEFAULT = 'none'
const PROCESSOR = 'svc-processor'

export interface ProcParts {
  service: GatewayService
  processors: readonly Processor[]
}

/** Memory for bodies of all streams. */
export function bodyMemory(svc: Pick<Svc<unknown>, 'shared'>): MemoryPool {
  return svc.shared('bodies', () => new MemoryPool(MAX_TOTAL_BYTES))
}

export interface Step {
  messages: ProcessingResponse[]
  /** The stream ends with OK. */
  isOver: boolean
}

export class ProcStream {
  readonly #svc: Svc<unknown>
  readonly #parts: ProcParts
  readonly #request: AnyRequest
  readonly #callMetadata: (name: string) => string | undefined
  readonly #kept: Record<Side, KeptBody>
  readonly #sides: Record<Side, StreamSide>
  #checked: CheckedRequest | null = null
  #processor: Processor | null = null
  #plan: Plan | null = null
  /** Of a rule with a condition on the phase, while that phase lasts. */
  #phasePlan: { phase: Phase; plan: Plan } | null = null
  /** Rules without such a condition, and their absence, hold for the rest of the stream. */
  #isRuled = false
  #fault: ProcFault | null = null
  #message: ProcessingRequest | null = null
  #outcome: ServiceOutcome = { decision: 'continue', by: 'policy', reason: null }
  readonly #leftOut = new Set<string>()
  /** What the record shows so far. */
  #noted = ''
  #isObserved = false

  constructor(
    svc: Svc<unknown>,
    parts: ProcParts,
    call: { request: AnyRequest; metadata: (name: string) => string | undefined },
  ) {
    const memory = bodyMemory(svc)
    this.#svc = svc
    this.#parts = parts
    this.#request = call.request
    this.#callMetadata = call.metadata
    this.#kept = { request: new KeptBody(memory), response: new KeptBody(memory) }
    this.#sides = {
      request: new StreamSide('request', this.#kept.request),
      response: new StreamSide('response', this.#kept.response),
    }
  }

  /** The answers to a message, in order. `wait` sends messages before the others. Throws a `StreamError`. */
  async receive(message: ProcessingRequest, send: (first: ProcessingResponse) => Promise<boolean>): Promise<Step> {
    const phase = message.request
    if (phase === undefined) throw new StreamError(INVALID_ARGUMENT, 'the message has none of the phases')
    const side = this.#sides[sideOf(phase)]
    const isFirst = this.#checked === null
    this.#read(phase, message)
    if (!side.phases.includes(phase)) side.phases.push(phase)
    if (this.#isObserved) {
      this.#note()
      return { messages: [], isOver: false }
    }
    if (isFirst) this.#begin()
    await this.#applyRule(phase)
    const early = await this.#applyFault(phase, isFirst, send)
    if (early !== null) return early
    const step = await this.#answer(phase, message)
    if (isFirst && this.#fault !== null) step.messages = this.#disturbed(step.messages, phase)
    this.#note()
    return step
  }

  /** Records the stream; call it once, when it ends. `failure` is why it ended early. */
  end(failure: string | null): void {
    for (const kept of Object.values(this.#kept)) kept.release()
    for (const side of ['request', 'response'] as const)
      if (this.#sides[side].missing) this.#leftOut.add(`${side}.body`)
    if (failure !== null && this.#outcome.decision !== 'error')
      this.#outcome = { ...this.#outcome, decision: 'error', reason: failure }
    if (this.#checked === null) return
    this.#parts.service.record(this.#request, this.#checked, this.#facts(), this.#recorded())
  }

  #read(phase: Phase, message: ProcessingRequest): void {
    const side = this.#sides[sideOf(phase)]
    // Metadata that a later message has none of are those of the message before.
    this.#message = {
      ...message,
      metadata_context: message.metadata_context ?? this.#message?.metadata_context ?? null,
    }
    const config = message.protocol_config
    if (config != null) {
      this.#sides.request.mode = config.request_body_mode
      this.#sides.response.mode = config.response_body_mode
    }
    if (message.observability_mode) this.#isObserved = true
    if (partOf(phase) === 'headers') {
      const headers = message[phase as 'request_headers']
      side.rawHeaders = rawHeadersOf(headers?.headers)
      side.hasMore = headers?.end_of_stream !== true
    }
    if (phase === 'request_body') {
      this.#kept.request.add(message.request_body!.body)
      if (this.#checked !== null) this.#checked = { ...this.#checked, body: this.#kept.request.bytes() }
    }
    this.#checked ??= this.#checkedRequest(message)
  }

  #checkedRequest(message: ProcessingRequest): CheckedRequest {
    const { rawHeaders } = this.#sides.request
    const pseudo = (name: string): string | undefined => {
      for (let index = 0; index < rawHeaders.length; index += 2)
        if (rawHeaders[index] === name) return rawHeaders[index + 1]
      return undefined
    }
    const host = pseudo(':authority')
    const lines: string[] = host === undefined ? [] : ['host', host]
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!
      if (name.startsWith(':') || (host !== undefined && name.toLowerCase() === 'host')) continue
      lines.push(name, rawHeaders[index + 1]!)
    }
    return this.#parts.service.checked(this.#request, {
      method: pseudo(':method') ?? '',
      url: pseudo(':path') ?? '/',
      scheme: pseudo(':scheme') === 'https' ? 'https' : 'http',
      clientIp: clientAddress(message) ?? this.#svc.http.clientIp(this.#request),
      rawHeaders: lines,
      body: this.#kept.request.bytes(),
    })
  }

  /** Chooses the processor, and reads the header. */
  #begin(): void {
    const { service, processors } = this.#parts
    const names = processors.map(({ name }) => name)
    const named = this.#callMetadata(PROCESSOR)
    const processorOf = (name: string): Processor | undefined => processors.find(one => one.name === name)
    const header = service.header(this.#checked!)
    const asked = header === null ? undefined : processorOf(header.trim())
    const processor = named === undefined ? (asked ?? processorOf(DEFAULT)) : processorOf(named)
    if (processor === undefined) {
      const guess = nearest(named!, names)
      throw new StreamError(
        INVALID_ARGUMENT,
        `unknown processor ${JSON.stringify(named!.slice(0, 100))}${guess === undefined ? '' : ` (did you mean "${guess}"?)`}, expected one of ${names.join(', ')}`,
      )
    }
    this.#processor = processor
    this.#plan = { ...processor.open(), by: named === undefined && asked !== undefined ? 'header' : 'policy' }
    if (header === null || asked !== undefined) return
    const { publicMode } = this.#svc.config
    this.#fault = parseFault(header, publicMode ? 65_536 : 1_048_576)
    if (this.#fault === null)
      throw new StreamError(
        INVALID_ARGUMENT,
        `${PROC_HEADER}: ${JSON.stringify(header.slice(0, 100))} is not one of ${names.join(', ')}, ${FAULT_VALUES}`,
      )
  }

  async #applyRule(phase: Phase): Promise<void> {
    if (this.#isRuled || this.#phasePlan?.phase === phase) return
    this.#phasePlan = null
    const { service } = this.#parts
    const rule = await service.rule(this.#request, this.#checked!, { policy: this.#processor!.name, phase })
    switch (rule.kind) {
      case 'none':
        return
      case 'left':
        throw new StreamError(1, 'the client disconnected')
      case 'abort':
      case 'fail': {
        const reason =
          rule.kind === 'abort'
            ? `connection broken: ${rule.abort}`
            : (rule.message ?? `failed by the rule ${rule.rule}`)
        this.#decide('error', 'rule', reason)
        const { code, details } = service.grpcFailure(
          this.#request,
          rule.kind === 'abort'
            ? rule
            : { kind: 'error', status: rule.status, reason, isAnswered: false, retryAfterSecs: rule.retryAfterSecs },
        )
        throw new StreamError(code, details)
      }
      case 'pass':
        this.#fault = null
        if (!rule.ofPhase) this.#isRuled = true
        return
      default: {
        this.#fault = null
        const { budgets } = this.#svc
        const plan = rulePlan(rule.value, {
          rule: rule.rule,
          lookUp: rule.lookUp,
          output: budgets.output(this.#request),
          steps: () => budgets.evaluation(),
        })
        if (rule.ofPhase) this.#phasePlan = { phase, plan }
        else {
          this.#isRuled = true
          this.#plan = plan
        }
      }
    }
  }

  /** Waits, fails or ends the stream as the header asks; null if it goes on. */
  async #applyFault(
    phase: Phase,
    isFirst: boolean,
    send: (first: ProcessingResponse) => Promise<boolean>,
  ): Promise<Step | null> {
    const fault = this.#fault
    if (fault === null) return null
    const { http, config, budgets } = this.#svc
    const isDue = 'phase' in fault ? (fault.phase === null ? isFirst : fault.phase === phase) : isFirst
    if (!isDue) return null
    const reason = `requested by ${PROC_HEADER}`
    const wait = async (ms: number): Promise<void> => {
      if (!(await http.delay(this.#request, ms))) throw new StreamError(1, 'the client disconnected')
    }
    switch (fault.kind) {
      case 'slow':
        await wait(fault.ms)
        return null
      case 'more-time':
        await send(moreTime(fault.ms))
        await wait(Math.floor(fault.ms / 2))
        return null
      case 'hang': {
        this.#decide('error', 'header', reason)
        await wait(config.maxDelayMs)
        const { code, details } = this.#parts.service.grpcFailure(this.#request, { kind: 'timeout' })
        throw new StreamError(code, details)
      }
      case 'error':
        this.#decide('error', 'header', reason)
        throw new StreamError(INTERNAL, reason)
      case 'close':
        this.#decide('error', 'header', reason)
        return { messages: [], isOver: true }
      case 'wrong-phase':
      case 'twice':
        this.#decide('error', 'header', reason)
        return null
      default:
        this.#plan = faultPlan(fault, budgets.output(this.#request))
        return null
    }
  }

  async #answer(phase: Phase, message: ProcessingRequest): Promise<Step> {
    const side = this.#sides[sideOf(phase)]
    const plan = this.#phasePlan?.plan ?? this.#plan!
    const facts = this.#messageOf(phase)
    const modes = this.#modes()
    switch (partOf(phase)) {
      case 'headers': {
        const outcome = (await plan.headers?.(facts)) ?? UNCHANGED
        if (outcome.kind === 'immediate') return this.#immediate(outcome, plan)
        const mode = { ...side.plan(plan, facts), ...outcome.mode }
        const changes: Changes = { ...outcome, mode }
        this.#changed(outcome, plan)
        if (side.waits(changes)) return { messages: [], isOver: false }
        return { messages: [answerOf(phase, changes, modes)], isOver: false }
      }
      case 'body': {
        side.plan(plan, facts)
        const { messages, changes } = await side.body(message[phase as 'request_body']!, facts, modes)
        if (changes?.kind === 'immediate') return this.#immediate(changes, plan)
        if (changes !== null) this.#changed(changes, plan)
        return { messages, isOver: false }
      }
      default: {
        const rest = await side.endBody(modes)
        if (rest.changes?.kind === 'immediate') return this.#immediate(rest.changes, plan)
        if (rest.changes !== null) this.#changed(rest.changes, plan)
        const outcome = plan.trailers?.(facts) ?? UNCHANGED
        if (outcome.kind === 'immediate') return this.#immediate(outcome, plan)
        this.#changed(outcome, plan)
        return { messages: [...rest.messages, answerOf(phase, outcome, modes)], isOver: false }
      }
    }
  }

  #immediate(outcome: Immediate, { by }: Plan): Step {
    this.#decide('immediate', by, outcome.reason)
    this.#note()
    return { messages: [immediateAnswer(outcome)], isOver: true }
  }

  #changed(changes: Changes, { by }: Plan): void {
    for (const what of changes.leftOut ?? []) this.#leftOut.add(what)
    if (this.#outcome.decision === 'error') return
    const { kind: _kind, reason = null, leftOut: _left, ...rest } = changes
    if (isChange(rest, reason)) this.#decide('mutate', by, reason)
    else if (this.#outcome.reason === null && reason !== null) this.#outcome = { ...this.#outcome, by, reason }
  }

  #decide(decision: string, by: ServiceOutcome['by'], reason: string | null): void {
    this.#outcome = { decision, by, reason }
  }

  /** The faults that disturb the order of answers. */
  #disturbed(messages: ProcessingResponse[], phase: Phase): ProcessingResponse[] {
    switch (this.#fault!.kind) {
      case 'twice':
        return [...messages, ...messages]
      case 'wrong-phase':
        return [
          answerOf(phase === 'response_trailers' ? 'request_headers' : 'response_trailers', UNCHANGED, this.#modes()),
        ]
      default:
        return messages
    }
  }

  #modes(): Modes {
    return { request: this.#sides.request.mode, response: this.#sides.response.mode }
  }

  #messageOf(phase: Phase): Message {
    const side = sideOf(phase)
    const { rawHeaders, phases, hasMore, mode } = this.#sides[side]
    return {
      side,
      rawHeaders,
      phases,
      hasMore,
      mode,
      checked: this.#checked!,
      metadata: (namespace, key) => metadataOf(this.#message!, namespace, key),
      callMetadata: this.#callMetadata,
    }
  }

  #facts(): ServiceFacts {
    return { policy: this.#processor?.name ?? DEFAULT, phase: this.#phases() }
  }

  #phases(): Phase[] {
    return [...this.#sides.request.phases, ...this.#sides.response.phases]
  }

  #recorded(): ServiceOutcome {
    return { ...this.#outcome, phases: this.#phases(), leftOut: [...this.#leftOut] }
  }

  /** Shown while the stream is open, when something has changed: a body can have any number of messages. */
  #note(): void {
    const { decision, by, reason } = this.#outcome
    const noted = JSON.stringify([decision, by, reason, this.#phases(), [...this.#leftOut]])
    if (noted === this.#noted) return
    this.#noted = noted
    this.#parts.service.note(this.#request, this.#checked!, this.#facts(), this.#recorded())
  }
}

function isChange(changes: Omit<Changes, 'kind' | 'reason' | 'leftOut'>, reason: string | null): boolean {
  const { head, mode: _mode, ...others } = changes
  const hasHead = head !== undefined && Object.values(head).some(list => list !== undefined && list.length > 0)
  return hasHead || Object.keys(others).length > 0 || reason === 'the body is changed'
}
