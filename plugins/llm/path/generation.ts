/** Generates for a route that does more than render one reply: a separate call, with rules, limits and a ledger entry. */
import { ModelCall, type Generate } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import type { ChatParsed } from '../contract/parsed.ts'
import type { ChatResult, NeutralRequest } from '../contract/neutral.ts'
import type { LlmRoute } from '../contract/route.ts'
import { enterInLedger } from '../steps/record-reply.ts'
import { refuse } from '../steps/refuse.ts'
import { NoClient } from './batch-item.ts'
import { GENERATION, passSteps } from './call-path.ts'

/** Throws the error that a request with this generation alone would get, for the route to throw again. */
export function createGenerate(services: () => CallServices): Generate {
  return (outer, request) => generate(services(), outer, request)
}

async function generate(services: CallServices, outer: ModelCall, request: NeutralRequest): Promise<ChatResult> {
  const { instance, params, request: raw, reply, headers, method, path, body } = outer
  const call = new ModelCall(
    services,
    { instance, route: chatRoute(outer, request), params },
    { request: raw, reply },
    GENERATION,
    { requestId: services.newId(), method, path, body, headers, isCounted: true },
  )
  call.recipient = new NoClient(() => {
    // The route renders it as a part of its own answer.
    outer.output.take(call.output.used)
    if (call.recorded !== null) enterInLedger(call, services, { status: 200, reply: 'sent' })
  })
  try {
    await passSteps(GENERATION, call, services)
    if (call.result?.op !== 'chat') throw new Error('a generation has a chat as its result')
    return call.result
  } catch (error) {
    refuse(call, services, error)
    throw error
  } finally {
    call.output.release()
  }
}

/** The route of the request, which generates only this. */
function chatRoute({ route, modelRoute }: ModelCall, request: NeutralRequest): LlmRoute {
  const parsed: ChatParsed<null> = { op: 'chat', model: request.model, request, wire: null }
  const { method, path, describe } = route
  return {
    ...(modelRoute ?? { method, path, describe }),
    op: 'chat',
    parse: () => parsed,
    render: () => ({ body: {} }),
  }
}
