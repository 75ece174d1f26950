/** Generates for a route that does more than render one reply: a separate call, with rules, limits and a ledger entry. */
import type { ChatParsed, LlmRoute } from '../provider.ts'
import type { ChatResult, NeutralRequest } from '../neutral.ts'
import { recordError, recordReply } from '../records/recording.ts'
import { errorResponse } from './error-responses.ts'
import type { Exchange, Generate } from './exchange.ts'
import { computeInner, innerExchange } from './inner-request.ts'
import { enter, errorOf, type RunnerServices } from './runner.ts'

/** Throws the error that a request with this generation alone would get, for the route to throw again. */
export function createGenerate(services: () => RunnerServices): Generate {
  return (outer, request) => generate(services(), outer, request)
}

async function generate(services: RunnerServices, outer: Exchange, request: NeutralRequest): Promise<ChatResult> {
  const { instance, request: raw, reply, headers, path, body } = outer
  const parsed: ChatParsed<null> = { op: 'chat', model: request.model, request, wire: null }
  const route: LlmRoute = { ...outer.route, op: 'chat', parse: () => parsed }
  const exchange = innerExchange(
    services,
    { instance, request: raw, reply },
    { route, params: outer.params },
    { requestId: services.newId(), method: outer.method, path, body, headers },
  )
  try {
    const { result } = await computeInner(services, exchange, { isLimited: true })
    if (result.op !== 'chat') throw new Error('a generation has a chat as its result')
    // The route renders it as a part of its own answer.
    outer.output.take(exchange.output.used)
    const words = route.finishReasons ?? instance.format.finishReasons
    const recorded = recordReply(exchange, parsed, result, words, false, 200)
    if (recorded !== null) {
      services.records.add(recorded)
      enter(services, exchange, { status: 200, record: recorded, parsed, result })
    }
    return result
  } catch (error) {
    const { kind, facts } = errorOf(error, services.faults, exchange)
    const { status } = errorResponse(instance, exchange, kind, facts)
    services.records.add(recordError(exchange, status))
    enter(services, exchange, { status })
    throw error
  } finally {
    exchange.output.release()
  }
}
