/** With what the operations of a request run: the context of the graph, and the faults of a header or of a rule. */
import { HttpError, type FastifyReply, type FastifyRequest, type Svc } from 'svc/plugin'
import { InputProblem, queryRecord, rawQuery } from 'svc/toolkit'
import { badRequest } from './errors.ts'
import type { Run } from './execution/run.ts'
import { readFaultHeader } from './faults/header.ts'
import { NO_FAULTS, SERVICE_SDL_KINDS, type FaultPlan } from './faults/plan.ts'
import { planOfStep, STEP } from './faults/step.ts'
import { TRACE_FORMAT, TRACE_HEADER } from './federation/field-trace.ts'
import { SDL_KIND } from './federation/root-fields.ts'
import type { DocumentLimits, Graph } from './types.ts'

export const FAULT_HEADER = 'x-svc-graphql'
export const FAULT_KIND = 'graphql'
const NO_CONTEXT = Object.freeze({})

/** Places of faults in one request, or in one step of a rule. */
export function maxPlaces(svc: Svc): number {
  return svc.config.publicMode ? 10 : 20
}

export interface RunOptions {
  /** The payload of `connection_init`, whose members count as headers. Default: none. */
  parameters?: Readonly<Record<string, unknown>>
  /** Whether the client takes an answer in parts. Default: false. */
  takesParts?: boolean
}

export class Runs {
  readonly #svc: Svc
  readonly #graph: Graph
  readonly #limits: DocumentLimits

  constructor(svc: Svc, graph: Graph, limits: DocumentLimits) {
    this.#svc = svc
    this.#graph = graph
    this.#limits = limits
  }

  /**
   * The faults of a request, which are marked as injected; null if there are none. The header comes before rules. Throws a
   * GraphQLError with the status 400, and an `HttpError` for `?sdl=`.
   */
  faultsOf(request: FastifyRequest, reply: FastifyReply): FaultPlan | null {
    const plan = this.#planOf(request, reply)
    if (this.#graph.federation === undefined) return plan
    const sdl = queryRecord(rawQuery(request)).sdl
    if (sdl === undefined) return plan
    const kind = SERVICE_SDL_KINDS.find(known => known === sdl)
    if (kind === undefined) throw new HttpError(400, { error: 'unknown_sdl', kinds: SERVICE_SDL_KINDS })
    this.#svc.http.markFault(request, reply, FAULT_KIND, `?sdl=${kind}`, 'query')
    return { ...(plan ?? NO_FAULTS), sdl: kind }
  }

  #planOf(request: FastifyRequest, reply: FastifyReply): FaultPlan | null {
    const header = request.headers[FAULT_HEADER]
    if (header !== undefined) {
      const text = String(header)
      const plan = this.#read(text)
      this.#svc.http.markFault(request, reply, FAULT_KIND, `X-Svc-Graphql: ${text}`, 'header')
      return plan
    }
    const step = this.#svc.http.ruleSteps(request).find(({ name }) => name === STEP)
    if (step === undefined) return null
    this.#svc.http.markFault(request, reply, FAULT_KIND, `rule ${step.rule}`, 'rule')
    return planOfStep(step)
  }

  #read(text: string): FaultPlan {
    try {
      return readFaultHeader(text, maxPlaces(this.#svc))
    } catch (error) {
      if (!(error instanceof InputProblem)) throw error
      throw badRequest(`X-Svc-Graphql: ${error.at === '' ? '' : `${JSON.stringify(error.at)}: `}${error.message}`)
    }
  }

  /**
   * For one operation. Throws a GraphQLError with the status 400.
   */
  create(
    request: FastifyRequest,
    faults: FaultPlan | null,
    { parameters = {}, takesParts = false }: RunOptions = {},
  ): Run {
    const { context, federation, around } = this.#graph
    const names = Object.keys(parameters)
    const headers =
      context === undefined && names.length === 0
        ? null
        : headersOf(this.#svc.http.receivedHeaders(request), parameters)
    const own = names.some(name => name.toLowerCase() === FAULT_HEADER) ? this.#read(headers![FAULT_HEADER]!) : faults
    let operationContext: object = context === undefined ? NO_CONTEXT : context({ request, headers: headers! })
    if (own !== null && own.sdl !== null)
      operationContext = Object.assign(Object.create(operationContext) as object, { [SDL_KIND]: own.sdl })
    return {
      context: operationContext,
      faults: own,
      isTraced: federation !== undefined && request.headers[TRACE_HEADER] === TRACE_FORMAT,
      signal: () => this.#svc.http.signal(request),
      output: () => this.#svc.budgets.detachedOutput(),
      maxDelayMs: this.#svc.config.maxDelayMs,
      takesParts,
      maxFields: this.#limits.answerFields,
      request,
      around,
      response: { status: null },
    }
  }
}

/** By lower-case name. Members of `headers` in the parameters, or the parameters themselves, come before the request's. */
function headersOf(
  received: readonly string[],
  parameters: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  for (let index = 0; index < received.length; index += 2) {
    const name = received[index]!.toLowerCase()
    // Not a header: `:authority` and its like (RFC 9113, 8.3).
    if (name.startsWith(':')) continue
    headers[name] = name in headers ? `${headers[name]}, ${received[index + 1]}` : received[index + 1]!
  }
  const nested = parameters.headers
  for (const source of [parameters, typeof nested === 'object' && nested !== null ? nested : {}])
    for (const [name, value] of Object.entries(source))
      if (typeof value === 'string') headers[name.toLowerCase()] = value
  return headers
}
